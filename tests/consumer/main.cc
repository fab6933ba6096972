#include <vyre/base/digest.h>
#include <vyre/vyre.h>

#include <iostream>

int main() {
  std::cout << "vyre " << vyre::version() << ": " << to_hex(vyre::digest_of("abc")) << "\n";
}

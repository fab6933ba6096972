// Texts that tests compare with files.
#pragma once

#include <string>

namespace vyre {

// Compares a text with a file of the folder golden/ of the room, whose tests run in the room's
// folder. Fingerprints are replaced by "(fingerprint)" first. With VYRE_UPDATE_GOLDEN set in the
// environment the file is written instead; read the difference before you keep it.
void expect_golden(const std::string& output, const std::string& file);

}  // namespace vyre

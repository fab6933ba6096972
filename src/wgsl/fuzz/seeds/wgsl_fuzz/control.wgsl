const limit = 10;
const_assert limit > 4 && limit < 20;
@group(0) @binding(0) var<storage, read_write> out: array<u32, 16>;

fn collatz(start: u32) -> u32 {
  var n = start;
  var steps = 0u;
  loop {
    if n <= 1u { break; }
    switch n & 1u {
      case 0u: { n = n >> 1u; }
      case 1u, default { n = 3u * n + 1u; }
    }
    continuing { steps++; break if steps == 1000u; }
  }
  return steps;
}

@compute @workgroup_size(4, 2, 2)
fn main(@builtin(local_invocation_index) i: u32) {
  var j = i;
  while j < 16u {
    if j == 3u { j += 1u; continue; } else if (j == 5u) { _ = collatz(j); } else { out[j] = collatz(j); }
    j += 16u;
  }
  { let shadow = j; out[0] ^= shadow; }
}

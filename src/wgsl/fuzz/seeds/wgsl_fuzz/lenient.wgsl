var<workgroup> a: atomic<u32>;
@compute @workgroup_size(1) fn main() { a = 1 | 2 + 4 & 6; let b = a + subgroupAdd(1u) << 1u + 2u; a += b; }

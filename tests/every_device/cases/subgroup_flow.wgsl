// elements: 700
enable subgroups;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> u: array<u32>;
@group(0) @binding(2) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(64) fn early_return(@builtin(global_invocation_id) g: vec3u) {
  if (g.x >= n) { return; }
  let x = u[g.x];
  o[g.x] = subgroupAdd(x);
  if (x % 4u == 1u) { return; }
  o[g.x] += subgroupAdd(x) * 7u;
  if (x % 4u == 2u) { if (x % 3u == 0u) { return; } o[g.x] ^= subgroupBallot(true).x; }
  o[g.x] += subgroupExclusiveAdd(1u) * 1000u;
}

// Lanes leave one by one, some in the middle of the body, some at its end.
@compute @workgroup_size(64) fn rounds(@builtin(global_invocation_id) g: vec3u) {
  var x = u[g.x];
  var sum = 0u;
  loop {
    sum = sum * 5u + subgroupAdd(x);
    if (x % 7u == 3u) { break; }
    if (x % 5u == 2u) { x += 3u; continue; }
    sum ^= subgroupBallot(x % 2u == 0u).x;
    if (x % 11u == 5u) {
      if (sum % 2u == 0u) { break; }
      sum += subgroupMax(sum);
    }
    x = x / 2u;
    continuing {
      sum += subgroupInclusiveAdd(1u);
      x += 1u;
      break if (x < 4u || sum % 64u == 1u);
    }
  }
  o[g.x] = sum + subgroupAdd(x) * 3u;
}

@compute @workgroup_size(64) fn nested(@builtin(global_invocation_id) g: vec3u) {
  let x = u[g.x];
  var sum = 0u;
  for (var i = 0u; i < x % 6u; i++) {
    for (var j = i; j < 5u; j++) {
      if ((x + j) % 4u == 0u) { continue; }
      if ((x + i * j) % 9u == 7u) { break; }
      sum += subgroupAdd(j + 1u);
    }
    if (sum % 13u == 4u) { break; }
    sum = sum * 3u + subgroupMin(x + i);
  }
  o[g.x] = sum;
}

// All lanes of a subgroup take the same way, which the compiler can know.
@compute @workgroup_size(64) fn uniform_rounds(@builtin(global_invocation_id) g: vec3u) {
  var sum = 0u;
  for (var i = 0u; i < n % 13u; i++) {
    sum += subgroupAdd(u[(g.x + i) % n]);
    if (subgroupAny(sum % 1024u == 5u)) { break; }
    if (i == 7u) { continue; }
    sum ^= subgroupShuffleUp(sum, 1u);
  }
  while (subgroupAny(sum > 100u)) { sum = sum / 3u; }
  o[g.x] = sum;
}

@compute @workgroup_size(64) fn cases(@builtin(global_invocation_id) g: vec3u) {
  let x = u[g.x];
  var sum = 1u;
  for (var i = 0u; i < 4u; i++) {
    switch ((x + i) % 6u) {
      case 0u, 3u: { sum += subgroupAdd(x); }
      case 1u: { if (x % 2u == 0u) { break; } sum ^= subgroupBallot(true).x; }
      case 2u: { sum += 5u; continue; }
      case 4u: { if (sum % 17u == 3u) { sum += 1u; break; } sum += subgroupMax(x); }
      default: { sum = sum * 3u + subgroupAdd(1u); }
    }
    sum += subgroupAdd(sum % 10u);
    switch (n % 3u) {
      case 0u: { sum += subgroupMin(x); }
      default: { sum += subgroupMax(x); }
    }
  }
  o[g.x] = sum;
}

fn finds(x: u32, limit: u32) -> u32 {
  for (var i = 0u; i < limit; i++) {
    if ((x + i) % 8u == 0u) { return i + subgroupAdd(1u); }
    if (subgroupAll((x + i) % 3u == 0u)) { return 77u; }
  }
  return subgroupBallot(true).x;
}
// A loop without subgroup operations that lanes return from.
fn search(x: u32) -> u32 {
  var y = x;
  for (var i = 0u; i < 20u; i++) {
    if (y % 10u == 7u) { return i; }
    y = y * 3u + 1u;
  }
  return subgroupAdd(y);
}
@compute @workgroup_size(64) fn functions(@builtin(global_invocation_id) g: vec3u) {
  let x = u[g.x];
  var sum = finds(x, 9u) + search(x) * 100u;
  if (x % 2u == 0u) { sum += finds(x + 3u, x % 7u); } else { sum ^= search(x + 1u); }
  o[g.x] = sum + subgroupAdd(sum);
}

var<workgroup> partial: array<u32, 8>;
@compute @workgroup_size(256) fn workgroup_sum(@builtin(global_invocation_id) g: vec3u,
    @builtin(local_invocation_index) l: u32, @builtin(subgroup_invocation_id) lane: u32) {
  var x = 0u;
  if (g.x < n) { x = u[g.x]; }
  let sum = subgroupAdd(x);
  if (lane == 0u) { partial[l / 32u] = sum; }
  workgroupBarrier();
  var before = 0u;
  for (var i = 0u; i < l / 32u; i++) { before += partial[i]; }
  o[g.x] = before + subgroupInclusiveAdd(x);
}

var<private> n: i32 = 1 + 2;
fn bump() -> i32 { n++; return n; }
fn add(p: ptr<function, i32>, v: i32) -> i32 { *p += v; return *p; }
fn pair(a: bool, b: bool) -> bool { return (a && b) || !a; }
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(1)
fn main() {
  var a = array(1, 2, 3);
  var i = 0;
  a[i] = a[bump() & 1] + add(&i, 1) * i;
  a[bump() % 3] += bump();
  if (i > 0 && bump() > 2) || (bump() < 5) { i = 0; }
  while bump() < 20 && i < 3 { i++; }
  let p = &a[i];
  *p -= 1;
  _ = pair(true, i == 1);
  out[0] = *p + select(1, 2, false) + max(n, bump());
}

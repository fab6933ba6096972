struct S { a i32; b: f32 }
let x = 3;
fn f(a: i32, b i32) -> i32 {
  let y = 1 + ;
  var w = y & z == 3
  if (y = 2) { w = 4 5; }
  for (var i = 0 i < 4; i++) { y++ }
  return y ? 012 : 99999999999i;
}
fn g() { loop { continuing { break if a; b; } } switch 1 { case 2 3: {} }
@compute fn h() { auto q = "s"; --q; }

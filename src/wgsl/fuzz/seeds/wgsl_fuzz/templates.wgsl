const n = 2; const w = 3;
alias A = array<vec4<f32>, select(2, 3, n>w)>;
alias B = array<array<u32, n << 1>, (w >= n) as_u32>;
fn f(a: i32, b: i32, c: i32) -> bool { return a < b && c > b || (a<b) == (c>b); }
var<private>x: vec2<f32>=vec2<f32>(1,2);
const y = n<w; const z = n >> 1 > w; const v = (n<w) != (w>n);

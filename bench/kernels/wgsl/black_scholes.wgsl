// Prices of European options.
struct Shape {
  rate: f32,
  volatility: f32,
}
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> spots: array<f32>;
@group(0) @binding(2) var<storage, read> strikes: array<f32>;
@group(0) @binding(3) var<storage, read> years: array<f32>;
@group(0) @binding(4) var<storage, read_write> calls: array<f32>;
@group(0) @binding(5) var<storage, read_write> puts: array<f32>;

// The cumulative normal distribution (Abramowitz and Stegun 26.2.17).
fn normal(d: f32) -> f32 {
  let k = 1.0 / (1.0 + 0.2316419 * abs(d));
  let series = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 +
               k * (-1.821255978 + k * 1.330274429))));
  let tail = 0.39894228 * exp(-0.5 * d * d) * series;
  return select(tail, 1.0 - tail, d > 0.0);
}

@compute @workgroup_size(128)
fn black_scholes(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i >= arrayLength(&calls)) {
    return;
  }
  let spot = spots[i];
  let strike = strikes[i];
  let t = years[i];
  let spread = shape.volatility * sqrt(t);
  let d1 = (log(spot / strike) + (shape.rate + 0.5 * shape.volatility * shape.volatility) * t) / spread;
  let d2 = d1 - spread;
  let discounted = strike * exp(-shape.rate * t);
  let n1 = normal(d1);
  let n2 = normal(d2);
  calls[i] = spot * n1 - discounted * n2;
  puts[i] = discounted * (1.0 - n2) - spot * (1.0 - n1);
}

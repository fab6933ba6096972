struct shape { float rate, volatility; uint n; };
float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  const float series = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f +
                       k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * exp(-0.5f * d * d) * series;
  return d > 0.0f ? 1.0f - tail : tail;
}
kernel void black_scholes(constant struct shape* s, global const float* restrict spots,
                          global const float* restrict strikes, global const float* restrict years,
                          global float* restrict calls, global float* restrict puts) {
  const uint i = get_global_id(0);
  if (i >= s->n) return;
  const float spot = spots[i], strike = strikes[i], t = years[i];
  const float spread = s->volatility * sqrt(t);
  const float d1 =
      (log(spot / strike) + (s->rate + 0.5f * s->volatility * s->volatility) * t) / spread;
  const float d2 = d1 - spread;
  const float discounted = strike * exp(-s->rate * t);
  const float n1 = normal(d1), n2 = normal(d2);
  calls[i] = spot * n1 - discounted * n2;
  puts[i] = discounted * (1.0f - n2) - spot * (1.0f - n1);
}

struct shape { uint block, distance; };
kernel void bitonic(constant struct shape* s, global uint* restrict values) {
  const uint low = get_global_id(0);
  const uint high = low ^ s->distance;
  if (high > low) {
    const uint first = values[low], second = values[high];
    const bool ascending = (low & s->block) == 0;
    if ((first > second) == ascending) {
      values[low] = second;
      values[high] = first;
    }
  }
}

'use strict';
// A GPU object shaped like WebGPU's, over libvyre.so. It keeps the books of the API (usages, maps,
// layouts, error scopes) and computes nothing: every shader, launch, copy and read is vyre's.
// Environment: VYRE_LIB (path of libvyre.so), VYRE_CTS_DEVICE (cpu), VYRE_CTS_THREADS (2),
// VYRE_CTS_DEADLINE_S (20, of one launch), VYRE_CTS_MAX_INVOCATIONS (WebGPU's default limits).
const koffi = require('koffi');

const lib = koffi.load(process.env.VYRE_LIB || 'libvyre.so');
const kDeadline = BigInt(Number(process.env.VYRE_CTS_DEADLINE_S || 20) * 1e9);
const kToTheEnd = 0xffffffffffffffffn;

const SessionOptions = koffi.struct('vyre_session_options', {
  struct_size: 'uint32_t', threads: 'uint32_t', cache_folder: 'const char *', no_cache: 'uint32_t',
  reserved: 'uint32_t',
});
koffi.struct('vyre_override', {
  name: 'const char *', id: 'uint32_t', reserved: 'uint32_t', value: 'double',
});
const BindingInfo = koffi.struct('vyre_binding_info', {
  struct_size: 'uint32_t', group: 'uint32_t', binding: 'uint32_t', access: 'uint32_t',
  least_bytes: 'uint64_t', name_length: 'uint64_t', name: koffi.array('char', 128, 'String'),
});
koffi.struct('vyre_binding', {
  group: 'uint32_t', binding: 'uint32_t', buffer: 'uint64_t', offset: 'uint64_t',
  bytes: 'uint64_t',
});
koffi.struct('vyre_grid', { unit: 'uint32_t', x: 'uint32_t', y: 'uint32_t', z: 'uint32_t' });

const vyre = {
  code_text: lib.func('const char *vyre_code_text(int)'),
  last_error_text: lib.func('const char *vyre_last_error_text()'),
  version: lib.func('const char *vyre_version()'),
  session_open: lib.func('int vyre_session_open(const char *, const vyre_session_options *, _Out_ uint64_t *)'),
  session_close: lib.func('int vyre_session_close(uint64_t)'),
  module_load: lib.func('int vyre_module_load(uint64_t, const void *, uint64_t, const char *, _Out_ uint64_t *)'),
  module_free: lib.func('int vyre_module_free(uint64_t)'),
  module_warnings: lib.func('int vyre_module_warnings(uint64_t, void *, uint64_t, _Out_ uint64_t *)'),
  module_entry_count: lib.func('int vyre_module_entry_count(uint64_t, _Out_ uint32_t *)'),
  kernel_create: lib.func('int vyre_kernel_create(uint64_t, const char *, const vyre_override *, uint64_t, _Out_ uint64_t *)'),
  kernel_free: lib.func('int vyre_kernel_free(uint64_t)'),
  kernel_workgroup_size: lib.func('int vyre_kernel_workgroup_size(uint64_t, void *)'),
  kernel_binding_count: lib.func('int vyre_kernel_binding_count(uint64_t, _Out_ uint32_t *)'),
  kernel_binding: lib.func('int vyre_kernel_binding(uint64_t, uint32_t, _Inout_ vyre_binding_info *)'),
  buffer_create: lib.func('int vyre_buffer_create(uint64_t, uint64_t, _Out_ uint64_t *)'),
  buffer_write: lib.func('int vyre_buffer_write(uint64_t, uint64_t, const void *, uint64_t)'),
  buffer_read: lib.func('int vyre_buffer_read(uint64_t, uint64_t, void *, uint64_t)'),
  buffer_copy: lib.func('int vyre_buffer_copy(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t)'),
  buffer_free: lib.func('int vyre_buffer_free(uint64_t)'),
  run: lib.func('int vyre_run(uint64_t, const vyre_binding *, uint64_t, const vyre_grid *, const void *, uint64_t)'),
};
const kCodes = { invalid_input: 1, limit: 2, out_of_memory: 5, device: 6, internal: 7 };
const failureText = code => `${vyre.code_text(code)}: ${vyre.last_error_text()}`;

// ---- Constants and errors ----------------------------------------------------------------------

const GPUBufferUsage = { MAP_READ: 1, MAP_WRITE: 2, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, VERTEX: 32,
  UNIFORM: 64, STORAGE: 128, INDIRECT: 256, QUERY_RESOLVE: 512 };
const GPUMapMode = { READ: 1, WRITE: 2 };
const GPUShaderStage = { VERTEX: 1, FRAGMENT: 2, COMPUTE: 4 };
const GPUTextureUsage = { COPY_SRC: 1, COPY_DST: 2, TEXTURE_BINDING: 4, STORAGE_BINDING: 8,
  RENDER_ATTACHMENT: 16 };
const GPUColorWrite = { RED: 1, GREEN: 2, BLUE: 4, ALPHA: 8, ALL: 15 };

class GPUError { constructor(message) { this.message = message; } }
class GPUValidationError extends GPUError {}
class GPUOutOfMemoryError extends GPUError {}
class GPUInternalError extends GPUError {}
class GPUPipelineError extends DOMException {
  constructor(message, options) { super(message, 'GPUPipelineError'); this.reason = options.reason; }
}
class GPUUncapturedErrorEvent extends Event {
  constructor(type, init) { super(type, init); this.error = init.error; }
}
const kFilters = { validation: GPUValidationError, 'out-of-memory': GPUOutOfMemoryError,
  internal: GPUInternalError };

class Unsupported extends Error {
  constructor(what) { super(`vyre-cts: ${what}: not in this shim, vyre has buffers and compute only`); }
}

const kLimits = {
  maxTextureDimension1D: 8192, maxTextureDimension2D: 8192, maxTextureDimension3D: 2048,
  maxTextureArrayLayers: 256, maxBindGroups: 4, maxBindGroupsPlusVertexBuffers: 24,
  maxBindingsPerBindGroup: 1000, maxDynamicUniformBuffersPerPipelineLayout: 8,
  maxDynamicStorageBuffersPerPipelineLayout: 4, maxSampledTexturesPerShaderStage: 16,
  maxSamplersPerShaderStage: 16, maxStorageBuffersInFragmentStage: 8,
  maxStorageBuffersInVertexStage: 8, maxStorageBuffersPerShaderStage: 8,
  maxStorageTexturesInFragmentStage: 4, maxStorageTexturesInVertexStage: 4,
  maxStorageTexturesPerShaderStage: 4, maxUniformBuffersPerShaderStage: 12,
  maxUniformBufferBindingSize: 65536, maxStorageBufferBindingSize: 134217728,
  minUniformBufferOffsetAlignment: 256, minStorageBufferOffsetAlignment: 256, maxVertexBuffers: 8,
  maxBufferSize: 268435456, maxVertexAttributes: 16, maxVertexBufferArrayStride: 2048,
  maxInterStageShaderVariables: 16, maxColorAttachments: 8, maxColorAttachmentBytesPerSample: 32,
  maxComputeWorkgroupStorageSize: 16384, maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256, maxComputeWorkgroupSizeY: 256, maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupsPerDimension: 65535,
};
if (process.env.VYRE_CTS_MAX_INVOCATIONS) {
  for (const name of ['InvocationsPerWorkgroup', 'WorkgroupSizeX', 'WorkgroupSizeY', 'WorkgroupSizeZ']) {
    kLimits[`maxCompute${name}`] = Number(process.env.VYRE_CTS_MAX_INVOCATIONS);
  }
}
class GPUSupportedLimits { constructor(values) { Object.assign(this, values); } }
class GPUSupportedFeatures extends Set {}
class WGSLLanguageFeatures extends Set {}
class GPUAdapterInfo { constructor(values) { Object.assign(this, values); } }
class GPUDeviceLostInfo { constructor(reason, message) { this.reason = reason; this.message = message; } }
class GPUCompilationMessage { constructor(values) { Object.assign(this, values); } }
class GPUCompilationInfo { constructor(messages) { this.messages = Object.freeze(messages); } }

// Handles go with their objects.
const frees = new FinalizationRegistry(({ device, free, handle }) => {
  if (!device._closed) free(handle);
});
const owned = (object, device, free, handle) => frees.register(object, { device, free, handle });

function openSession() {
  const out = [0];
  const options = { struct_size: koffi.sizeof(SessionOptions), threads: Number(process.env.VYRE_CTS_THREADS || 2),
    cache_folder: null, no_cache: 1, reserved: 0 };
  const code = vyre.session_open(process.env.VYRE_CTS_DEVICE || 'cpu', options, out);
  if (code) throw new Error(failureText(code));
  return out[0];
}

function loadModule(session, text) {
  const bytes = Buffer.from(text, 'utf8');
  const out = [0];
  const code = vyre.module_load(session, bytes.length ? bytes : null, bytes.length, 'shader', out);
  return { code, handle: out[0], text: code ? vyre.last_error_text() : '' };
}

// "shader:2:26: error: ..." and what follows up to the next such line. vyre counts code points in a
// line, WebGPU UTF-16 units.
function messagesOf(text, code) {
  const messages = [];
  const starts = [0];
  for (let i = 0; i < code.length; ++i) {
    if (code[i] === '\r' && code[i + 1] === '\n') continue;
    if (/[\n\v\f\r\u0085\u2028\u2029]/.test(code[i])) starts.push(i + 1);
  }
  const place = (line, column) => {
    const start = starts[line - 1] ?? 0;
    let at = start;
    for (let i = 1; i < column && at < code.length; ++i) at += code.codePointAt(at) > 0xffff ? 2 : 1;
    return { offset: at, linePos: at - start + 1 };
  };
  for (const line of text.split('\n')) {
    const at = /^shader:(\d+):(\d+): (error|warning|info|note): (.*)$/.exec(line);
    if (at && at[3] !== 'note') {
      messages.push({ type: at[3], lineNum: +at[1], ...place(+at[1], +at[2]), length: 0, message: at[4] });
    }
  }
  return messages;
}

// vyre has every extension it knows, WebGPU only those whose feature the device was made with.
const kExtensions = { f16: 'shader-f16', subgroups: 'subgroups', subgroup_size_control: 'subgroup-size-control',
  atomic_vec2u_min_max: 'atomic-vec2u-min-max', clip_distances: 'clip-distances',
  dual_source_blending: 'dual-source-blending', primitive_index: 'primitive-index' };
function missingFeature(code, features) {
  for (const [, names] of code.matchAll(/(?:^|[;\n])\s*enable\s+([\w\s,]+);/g)) {
    for (const name of names.split(',')) {
      const feature = kExtensions[name.trim()];
      if (feature && !features.has(feature)) return feature;
    }
  }
}

// What vyre takes, asked of vyre.
let probed;
function probe() {
  if (probed) return probed;
  const session = openSession();
  const takes = text => {
    const loaded = loadModule(session, text);
    if (!loaded.code) vyre.module_free(loaded.handle);
    return !loaded.code;
  };
  probed = { features: ['core-features-and-limits'], language: [] };
  for (const [extension, feature] of Object.entries(kExtensions)) {
    if (takes(`enable ${extension};`)) probed.features.push(feature);
  }
  for (const name of ['readonly_and_readwrite_storage_textures', 'packed_4x8_integer_dot_product',
    'unrestricted_pointer_parameters', 'pointer_composite_access', 'uniform_buffer_standard_layout',
    'texture_and_sampler_let', 'subgroup_id', 'subgroup_uniformity', 'swizzle_assignment',
    'linear_indexing', 'texture_formats_tier1', 'immediate_address_space', 'buffer_view',
    'fragment_depth']) {
    if (takes(`requires ${name};`)) probed.language.push(name);
  }
  vyre.session_close(session);
  return probed;
}

// For whoever runs the suite: modules seen, those refused for nothing but what vyre leaves out by
// design (a case that expects an error then passes without being tested), and launches.
const stats = { modules: 0, refused: 0, launches: 0 };
const kByDesign = /is not available: |is a (vertex|fragment) shader|vyre runs|(extension|language feature) '.*' is not supported/;

// ---- Objects -----------------------------------------------------------------------------------

class Labelled { constructor(desc) { this.label = desc?.label ?? ''; } }

class GPUShaderModule extends Labelled {
  async getCompilationInfo() { return new GPUCompilationInfo(this._messages); }
}

class GPUBuffer extends Labelled {
  constructor(device, desc) {
    super(desc);
    Object.assign(this, { _device: device, size: Number(desc.size), usage: Number(desc.usage),
      mapState: 'unmapped', _handle: null, _destroyed: false, _invalid: false, _map: null });
  }
  mapAsync(mode, offset = 0, size) {
    const fail = text => {
      this._device._error('validation', `mapAsync: ${text}`);
      if (this.mapState !== 'unmapped') return Promise.reject(new DOMException(text, 'OperationError'));
      this.mapState = 'pending';
      const pending = (this._pending = {});
      return new Promise((resolve, reject) => {
        pending.reject = () => reject(new DOMException('unmapped', 'AbortError'));
        setImmediate(() => {
          if (this._pending !== pending) return;
          this._pending = null;
          this.mapState = 'unmapped';
          reject(new DOMException(text, 'OperationError'));
        });
      });
    };
    if (this.mapState === 'pending') {
      return Promise.reject(new DOMException('already pending', 'OperationError'));
    }
    size ??= Math.max(0, this.size - offset);
    if (this._invalid) return fail('invalid buffer');
    if (this._destroyed) return fail('destroyed buffer');
    if (this.mapState === 'mapped') return fail('already mapped');
    if (mode !== 1 && mode !== 2) return fail('mode');
    if (!(this.usage & mode)) return fail('usage');
    if (offset % 8 || size % 4 || offset + size > this.size) return fail('range');
    if (this._device._lost) return Promise.reject(new DOMException('lost', 'OperationError'));
    this.mapState = 'pending';
    const pending = (this._pending = {});
    return new Promise((resolve, reject) => {
      pending.reject = () => reject(new DOMException('unmapped', 'AbortError'));
      setImmediate(() => {
        if (this._pending !== pending) return;
        this._pending = null;
        const bytes = new Uint8Array(size);
        if (size) {
          const code = vyre.buffer_read(this._handle, offset, bytes, size);
          if (code) return reject(new DOMException(failureText(code), 'OperationError'));
        }
        this._map = { mode, offset, size, bytes, ranges: [] };
        this.mapState = 'mapped';
        this._device._mapped.add(this);
        resolve();
      });
    });
  }
  getMappedRange(offset = 0, size) {
    const bad = text => { throw new DOMException(`getMappedRange: ${text}`, 'OperationError'); };
    const map = this._map;
    if (!map) bad('not mapped');
    size ??= Math.max(0, this.size - offset);
    if (offset % 8) bad('offset');
    if (size % 4) bad('size');
    if (offset < map.offset || offset + size > map.offset + map.size) bad('range');
    for (const r of map.ranges) {
      if (offset < r.offset + r.size && r.offset < offset + size) bad('overlap');
      if (size === 0 && offset > r.offset && offset < r.offset + r.size) bad('overlap');
    }
    const from = offset - map.offset;
    const memory = map.bytes.buffer.slice(from, from + size);
    map.ranges.push({ offset, size, memory });
    return memory;
  }
  unmap() {
    if (this._pending) { const p = this._pending; this._pending = null; this.mapState = 'unmapped'; p.reject(); return; }
    const map = this._map;
    if (!map) return;
    this._map = null;
    this.mapState = 'unmapped';
    this._device._mapped.delete(this);
    for (const r of map.ranges) {
      if (map.mode === 2 && r.size && this._handle !== null && !this._destroyed && !this._device._closed) {
        this._device._check(vyre.buffer_write(this._handle, r.offset, new Uint8Array(r.memory), r.size));
      }
      structuredClone(r.memory, { transfer: [r.memory] });  // detaches it
    }
  }
  destroy() {
    this.unmap();
    if (this._destroyed) return;
    this._destroyed = true;
    if (this._handle !== null && !this._device._closed) vyre.buffer_free(this._handle);
    this._handle = null;
  }
}

class GPUBindGroupLayout extends Labelled {}
class GPUPipelineLayout extends Labelled {}
class GPUBindGroup extends Labelled {}
class GPUCommandBuffer extends Labelled {}
class GPUQuerySet extends Labelled {}
class GPUTexture extends Labelled {}
class GPUSampler extends Labelled {}
class GPURenderPipeline extends Labelled {}
class GPURenderPassEncoder extends Labelled {}
class GPURenderBundle extends Labelled {}
class GPURenderBundleEncoder extends Labelled {}
class GPUTextureView extends Labelled {}
class GPUExternalTexture extends Labelled {}

class GPUComputePipeline extends Labelled {
  getBindGroupLayout(index) {
    const layout = this._layouts?.[index];
    if (!layout) {
      this._device._error('validation', 'getBindGroupLayout: no such group');
      return Object.assign(new GPUBindGroupLayout(), { _invalid: true, _entries: new Map() });
    }
    return layout;
  }
}

const kTypes = { 0: 'uniform', 1: 'read-only-storage', 2: 'storage' };

class GPUComputePassEncoder extends Labelled {
  constructor(encoder, desc) {
    super(desc);
    Object.assign(this, { _encoder: encoder, _groups: [], _pipeline: null, _ended: false });
  }
  _bad(text) { this._encoder._bad(text); }
  setPipeline(pipeline) {
    if (pipeline._invalid) this._bad('setPipeline: invalid pipeline');
    this._pipeline = pipeline;
  }
  setBindGroup(index, group, offsets = [], start, length) {
    if (start !== undefined) {
      if (start + length > offsets.length) throw new RangeError('dynamic offsets');
      offsets = offsets.subarray(start, start + length);
    }
    if (index >= kLimits.maxBindGroups) return this._bad('setBindGroup: index');
    if (group?._invalid) return this._bad('setBindGroup: invalid group');
    const dynamic = group ? group._layout._dynamic : [];
    offsets = Array.from(offsets);
    if (offsets.length !== dynamic.length) return this._bad('setBindGroup: dynamic offsets');
    const shift = new Map();
    for (let i = 0; i < dynamic.length; ++i) {
      const e = group._resources.get(dynamic[i]);
      if (offsets[i] % 256) return this._bad('setBindGroup: alignment of a dynamic offset');
      if (e.offset + offsets[i] + e.size > e.buffer.size) return this._bad('setBindGroup: dynamic offset out of range');
      shift.set(dynamic[i], offsets[i]);
    }
    this._groups[index] = group ? { group, shift } : undefined;
  }
  _bindings() {
    const p = this._pipeline;
    if (!p) return this._bad('dispatch: no pipeline');
    const out = [];
    for (const info of p._infos) {
      const set = this._groups[info.group];
      if (!set) return this._bad(`dispatch: no bind group ${info.group}`);
      if (set.group._layout._key !== p._layouts[info.group]._key) {
        return this._bad(`dispatch: bind group ${info.group} has another layout`);
      }
      const e = set.group._resources.get(info.binding);
      if (e.size < info.least) return this._bad('dispatch: binding too small');
      out.push({ group: info.group, binding: info.binding, buffer: e.buffer,
        offset: e.offset + (set.shift.get(info.binding) ?? 0), bytes: e.size });
    }
    for (let g = 0; g < p._layouts.length; ++g) {
      if (p._layouts[g]?._entries.size && !this._groups[g]) return this._bad(`dispatch: no bind group ${g}`);
    }
    const used = this._groups.filter(s => s).flatMap(s => [...s.group._resources.values()].map(e => e.buffer));
    return { bindings: out, used };
  }
  dispatchWorkgroups(x, y = 1, z = 1) {
    const bound = this._bindings();
    if (!bound) return;
    if (Math.max(x, y, z) > kLimits.maxComputeWorkgroupsPerDimension) return this._bad('dispatch: too many workgroups');
    const pipeline = this._pipeline;
    this._encoder._add(d => d._dispatch(pipeline, bound.bindings, [x, y, z]), bound.used);
  }
  dispatchWorkgroupsIndirect(buffer, offset) {
    const bound = this._bindings();
    if (!bound) return;
    if (!(buffer.usage & GPUBufferUsage.INDIRECT) || offset % 4 || offset + 12 > buffer.size) return this._bad('dispatch: indirect buffer');
    const pipeline = this._pipeline;
    this._encoder._add(d => {
      const counts = new Uint32Array(3);
      d._check(vyre.buffer_read(buffer._handle, offset, counts, 12));
      if (Math.max(...counts) <= kLimits.maxComputeWorkgroupsPerDimension) d._dispatch(pipeline, bound.bindings, counts);
    }, [...bound.used, buffer]);
  }
  pushDebugGroup() {} popDebugGroup() {} insertDebugMarker() {}
  setImmediates() { throw new Unsupported('immediates'); }
  end() {
    if (this._ended) return this._encoder._device._error('validation', 'end: already ended');
    this._ended = true;
    this._encoder._open = null;
  }
}

class GPUCommandEncoder extends Labelled {
  constructor(device, desc) {
    super(desc);
    Object.assign(this, { _device: device, _commands: [], _used: new Set(), _failure: null, _open: null, _finished: false });
  }
  _bad(text) { this._failure ??= text; }
  _add(command, buffers) {
    for (const b of buffers) {
      if (b._invalid) return this._bad('invalid buffer');
      if (b._device !== this._device) return this._bad('buffer of another device');
      this._used.add(b);
    }
    this._commands.push(command);
  }
  beginComputePass(desc) {
    if (desc?.timestampWrites) throw new Unsupported('timestamps');
    if (this._open) this._bad('a pass is open');
    return (this._open = new GPUComputePassEncoder(this, desc));
  }
  copyBufferToBuffer(from, fromOffset, to, toOffset, size) {
    if (fromOffset instanceof GPUBuffer) [to, size, fromOffset, toOffset] = [fromOffset, to, 0, 0];
    size ??= from.size - fromOffset;
    if (this._open) return this._bad('copy inside a pass');
    if (!(from.usage & 4) || !(to.usage & 8)) return this._bad('copy: usage');
    if (from === to) return this._bad('copy: one buffer');
    if (size % 4 || fromOffset % 4 || toOffset % 4) return this._bad('copy: alignment');
    if (fromOffset + size > from.size || toOffset + size > to.size) return this._bad('copy: range');
    this._add(d => {
      if (size) d._check(vyre.buffer_copy(from._handle, fromOffset, to._handle, toOffset, size));
    }, [from, to]);
  }
  clearBuffer(buffer, offset = 0, size) {
    size ??= Math.max(0, buffer.size - offset);
    if (this._open) return this._bad('clear inside a pass');
    if (!(buffer.usage & 8) || offset % 4 || size % 4 || offset + size > buffer.size) return this._bad('clear');
    this._add(d => {
      if (size) d._check(vyre.buffer_write(buffer._handle, offset, new Uint8Array(size), size));
    }, [buffer]);
  }
  pushDebugGroup() {} popDebugGroup() {} insertDebugMarker() {}
  finish(desc) {
    const out = new GPUCommandBuffer(desc);
    if (this._finished) this._bad('finished twice');
    if (this._open) this._bad('a pass is open');
    this._finished = true;
    if (this._failure) {
      this._device._error('validation', `finish: ${this._failure}`);
      out._invalid = true;
    }
    return Object.assign(out, { _device: this._device, _commands: this._commands, _used: this._used });
  }
}
for (const name of ['beginRenderPass', 'copyBufferToTexture', 'copyTextureToBuffer',
  'copyTextureToTexture', 'resolveQuerySet', 'writeTimestamp']) {
  GPUCommandEncoder.prototype[name] = function () { throw new Unsupported(name); };
}

class GPUQueue extends Labelled {
  constructor(device) { super(); this._device = device; }
  submit(list) {
    const d = this._device;
    if (d._lost) return;
    list = [...list];
    for (const c of list) {
      if (c._invalid) return d._error('validation', 'submit: invalid command buffer');
      if (c._submitted) return d._error('validation', 'submit: submitted before');
      for (const b of c._used) {
        if (b._destroyed) return d._error('validation', 'submit: destroyed buffer');
        if (b.mapState !== 'unmapped') return d._error('validation', 'submit: mapped buffer');
      }
    }
    for (const c of list) {
      c._submitted = true;
      for (const command of c._commands) command(d);
      c._commands = null;
    }
  }
  async onSubmittedWorkDone() {}
  writeBuffer(buffer, offset, data, dataOffset = 0, size) {
    const d = this._device;
    if (d._lost) return;
    const view = ArrayBuffer.isView(data);
    const unit = view && !(data instanceof DataView) ? data.BYTES_PER_ELEMENT : 1;
    const all = new Uint8Array(view ? data.buffer : data, view ? data.byteOffset : 0, data.byteLength);
    const from = dataOffset * unit;
    const count = size === undefined ? all.length - from : size * unit;
    if (from > all.length || count < 0 || from + count > all.length || count % 4) throw new DOMException('writeBuffer: data range', 'OperationError');
    if (buffer._invalid || buffer._destroyed || buffer.mapState !== 'unmapped' || !(buffer.usage & 8) ||
        offset % 4 || offset + count > buffer.size) return d._error('validation', 'writeBuffer');
    if (count) d._check(vyre.buffer_write(buffer._handle, offset, all.subarray(from, from + count), count));
  }
}
for (const name of ['writeTexture', 'copyExternalImageToTexture']) {
  GPUQueue.prototype[name] = function () { throw new Unsupported(name); };
}

// ---- Device ------------------------------------------------------------------------------------

let nextKey = 1;
const layoutKeys = new Map();
function makeLayout(entries, unique, desc) {
  const sorted = [...entries.values()].sort((a, b) => a.binding - b.binding);
  const text = JSON.stringify(sorted) + (unique ? ` pipeline ${unique}` : '');
  if (!layoutKeys.has(text)) layoutKeys.set(text, nextKey++);
  return Object.assign(new GPUBindGroupLayout(desc), { _entries: entries, _key: layoutKeys.get(text), _unique: unique,
    _dynamic: sorted.filter(e => e.dynamic).map(e => e.binding) });
}
const kEmptyLayout = makeLayout(new Map(), 0);

class GPUDevice extends EventTarget {
  constructor(adapter, desc) {
    super();
    Object.assign(this, { label: desc?.label ?? '', _scopes: [], _mapped: new Set(), _lost: false, _closed: false,
      onuncapturederror: null });
    this.features = new GPUSupportedFeatures(['core-features-and-limits', ...(desc?.requiredFeatures ?? [])]);
    if (this.features.has('subgroup-size-control')) this.features.add('subgroups');
    this.limits = new GPUSupportedLimits(kLimits);
    this.adapterInfo = adapter.info;
    this.queue = new GPUQueue(this);
    this.lost = new Promise(resolve => { this._lose = resolve; });
    this._session = openSession();
  }
  destroy() {
    if (this._lost) return;
    for (const b of [...this._mapped]) b.unmap();
    this._lost = this._closed = true;
    vyre.session_close(this._session);
    this._lose(new GPUDeviceLostInfo('destroyed', 'destroyed'));
  }
  // Errors
  _error(filter, message) {
    if (this._lost) return;
    for (let i = this._scopes.length - 1; i >= 0; --i) {
      if (this._scopes[i].filter === filter) { this._scopes[i].error ??= new kFilters[filter](message); return; }
    }
    const event = new GPUUncapturedErrorEvent('uncapturederror', { error: new kFilters[filter](message), cancelable: true });
    setImmediate(() => { this.dispatchEvent(event); this.onuncapturederror?.(event); });
  }
  // A failure of vyre while it runs or copies.
  _check(code) {
    if (code === 0) return true;
    const filter = code === kCodes.out_of_memory ? 'out-of-memory'
      : code === kCodes.invalid_input || code === kCodes.limit ? 'validation' : 'internal';
    this._error(filter, `vyre: ${failureText(code)}`);
    return false;
  }
  pushErrorScope(filter) {
    if (!(filter in kFilters)) throw new TypeError('filter');
    this._scopes.push({ filter, error: null });
  }
  async popErrorScope() {
    if (this._lost) return null;
    if (!this._scopes.length) throw new DOMException('no error scope', 'OperationError');
    return this._scopes.pop().error;
  }

  createShaderModule(desc) {
    const module = new GPUShaderModule(desc);
    Object.assign(module, { _device: this, _messages: [], _invalid: false, _handle: null });
    if (this._lost) return module;
    const loaded = loadModule(this._session, desc.code);
    stats.modules++;
    const missing = loaded.code ? undefined : missingFeature(desc.code, this.features);
    if (missing) {
      vyre.module_free(loaded.handle);
      loaded.code = kCodes.invalid_input;
      loaded.text = `shader:1:1: error: the device lacks the feature ${missing}`;
    }
    if (loaded.code) {
      module._invalid = true;
      module._messages = messagesOf(loaded.text, desc.code);
      const errors = module._messages.filter(m => m.type === 'error');
      if (errors.length && errors.every(m => kByDesign.test(m.message))) stats.refused++;
      if (!module._messages.some(m => m.type === 'error')) {
        module._messages.push({ type: 'error', lineNum: 0, linePos: 0, offset: 0, length: 0, message: loaded.text });
      }
      this._error('validation', `vyre: ${loaded.text}`);
    } else {
      module._handle = loaded.handle;
      owned(module, this, vyre.module_free, loaded.handle);
      const length = [0];
      vyre.module_warnings(loaded.handle, null, 0, length);
      if (Number(length[0])) {
        const bytes = Buffer.alloc(Number(length[0]) + 1);
        vyre.module_warnings(loaded.handle, bytes, bytes.length, length);
        module._messages = messagesOf(bytes.toString('utf8', 0, Number(length[0])), desc.code);
      }
    }
    module._messages = module._messages.map(m => new GPUCompilationMessage(m));
    return module;
  }

  createBuffer(desc) {
    const buffer = new GPUBuffer(this, desc);
    const usage = buffer.usage;
    let bad = null;
    if (usage === 0 || usage & ~1023) bad = 'usage';
    else if (usage & 1 && usage & ~9) bad = 'MAP_READ with more than COPY_DST';
    else if (usage & 2 && usage & ~6) bad = 'MAP_WRITE with more than COPY_SRC';
    else if (buffer.size > kLimits.maxBufferSize) bad = 'too large';
    if (desc.mappedAtCreation && buffer.size % 4) throw new RangeError('createBuffer: mappedAtCreation with such a size');
    if (bad) { buffer._invalid = true; this._error('validation', `createBuffer: ${bad}`); }
    else if (!this._lost) {
      const out = [0];
      // WebGPU has buffers of 0 bytes and sizes that are no multiple of 4.
      const code = vyre.buffer_create(this._session, Math.max(4, buffer.size), out);
      if (code) { this._check(code); buffer._invalid = true; }
      else {
        buffer._handle = out[0];
        owned(buffer, this, vyre.buffer_free, out[0]);
      }
    }
    if (desc.mappedAtCreation) {
      if (buffer.size > 2 ** 32) throw new RangeError('createBuffer: too large to map');
      buffer._map = { mode: 2, offset: 0, size: buffer.size, bytes: new Uint8Array(buffer.size), ranges: [] };
      buffer.mapState = 'mapped';
      this._mapped.add(buffer);
    }
    return buffer;
  }

  createBindGroupLayout(desc) {
    const entries = new Map();
    for (const e of desc.entries) {
      if (!e.buffer) throw new Unsupported('a bind group layout with textures or samplers');
      entries.set(e.binding, { binding: e.binding, type: e.buffer.type ?? 'uniform', visibility: e.visibility,
        dynamic: !!e.buffer.hasDynamicOffset, least: e.buffer.minBindingSize ?? 0 });
    }
    return makeLayout(entries, 0, desc);
  }
  createPipelineLayout(desc) {
    const layout = new GPUPipelineLayout(desc);
    layout._layouts = [...desc.bindGroupLayouts].map(l => l ?? kEmptyLayout);
    layout._invalid = layout._layouts.some(l => l._invalid) || layout._layouts.length > kLimits.maxBindGroups;
    if (layout._invalid) this._error('validation', 'createPipelineLayout');
    return layout;
  }
  createBindGroup(desc) {
    const group = new GPUBindGroup(desc);
    const resources = new Map();
    const bad = text => { group._invalid = true; this._error('validation', `createBindGroup: ${text}`); };
    const layout = desc.layout;
    if (layout._invalid) bad('invalid layout');
    const entries = [...desc.entries];
    if (!group._invalid && entries.length !== layout._entries.size) bad('number of entries');
    for (const e of entries) {
      if (group._invalid) break;
      const want = layout._entries.get(e.binding);
      if (!want) { bad(`no binding ${e.binding}`); break; }
      const r = e.resource instanceof GPUBuffer ? { buffer: e.resource } : e.resource;
      if (!(r.buffer instanceof GPUBuffer)) throw new Unsupported('a bind group with textures or samplers');
      const offset = r.offset ?? 0;
      const size = r.size ?? Math.max(0, r.buffer.size - offset);
      if (r.buffer._invalid) bad('invalid buffer');
      else if (!(r.buffer.usage & (want.type === 'uniform' ? 64 : 128))) bad('usage');
      else if (offset % 256 || offset + size > r.buffer.size || size === 0) bad('range');
      else if (want.type !== 'uniform' && size % 4) bad('size');
      else if (size > (want.type === 'uniform' ? kLimits.maxUniformBufferBindingSize : kLimits.maxStorageBufferBindingSize)) bad('too large');
      else if (size < want.least) bad('smaller than minBindingSize');
      else resources.set(e.binding, { buffer: r.buffer, offset, size });
    }
    return Object.assign(group, { _layout: layout, _resources: resources });
  }

  // What vyre says of the kernel, against the layout and WebGPU's limits.
  _makePipeline(desc) {
    const pipeline = new GPUComputePipeline(desc);
    pipeline._device = this;
    const fail = (reason, message) => { pipeline._invalid = true; return { pipeline, reason, message }; };
    const { module, entryPoint, constants } = desc.compute;
    if (this._lost) return { pipeline };
    if (module._invalid || module._handle === null) return fail('validation', 'invalid shader module');
    const overrides = [];
    for (const [key, value] of Object.entries(constants ?? {})) {
      if (typeof value !== 'boolean' && !Number.isFinite(Number(value))) throw new TypeError(`constant ${key} is not finite`);
      const number = /^(0|[1-9][0-9]{0,9})$/.test(key);
      if (key.includes('\0')) return fail('validation', 'a constant with a null in its name');
      overrides.push({ name: number ? null : key, id: number ? Number(key) : 0, reserved: 0, value: Number(value) });
    }
    if (entryPoint?.includes('\0')) return fail('validation', 'an entry point with a null in its name');
    const out = [0];
    const code = vyre.kernel_create(module._handle, entryPoint ?? null, overrides.length ? overrides : null, overrides.length, out);
    if (code) return fail(code === kCodes.internal ? 'internal' : 'validation', `vyre: ${failureText(code)}`);
    const kernel = out[0];
    owned(pipeline, this, vyre.kernel_free, kernel);
    const size = new Uint32Array(3);
    vyre.kernel_workgroup_size(kernel, size);
    if (size[0] > kLimits.maxComputeWorkgroupSizeX || size[1] > kLimits.maxComputeWorkgroupSizeY ||
        size[2] > kLimits.maxComputeWorkgroupSizeZ ||
        size[0] * size[1] * size[2] > kLimits.maxComputeInvocationsPerWorkgroup) {
      return fail('validation', `workgroup size ${size} is beyond the limits`);
    }
    const count = [0];
    vyre.kernel_binding_count(kernel, count);
    const infos = [];
    for (let i = 0; i < count[0]; ++i) {
      const info = { struct_size: koffi.sizeof(BindingInfo), group: 0, binding: 0, access: 0, least_bytes: 0, name_length: 0, name: '' };
      const c = vyre.kernel_binding(kernel, i, info);
      if (c) return fail('internal', `vyre: ${failureText(c)}`);
      infos.push({ group: info.group, binding: info.binding, type: kTypes[info.access], least: Number(info.least_bytes) });
    }
    let layouts;
    if (desc.layout === 'auto') {
      const unique = nextKey++;
      const groups = [];
      for (const info of infos) {
        if (info.group >= kLimits.maxBindGroups) return fail('validation', 'group beyond the limit');
        if (info.binding >= kLimits.maxBindingsPerBindGroup) return fail('validation', 'binding beyond the limit');
        (groups[info.group] ??= new Map()).set(info.binding, { binding: info.binding, type: info.type,
          visibility: 4, dynamic: false, least: info.least });
      }
      layouts = [];
      for (let g = 0; g < kLimits.maxBindGroups; ++g) layouts.push(groups[g] ? makeLayout(groups[g], unique) : kEmptyLayout);
    } else {
      if (desc.layout._invalid) return fail('validation', 'invalid layout');
      layouts = desc.layout._layouts;
      for (const info of infos) {
        const e = layouts[info.group]?._entries.get(info.binding);
        if (!e) return fail('validation', `the layout has no @group(${info.group}) @binding(${info.binding})`);
        if (e.type !== info.type || !(e.visibility & 4)) return fail('validation', 'the layout has another type');
        if (e.least && e.least < info.least) return fail('validation', 'minBindingSize');
      }
    }
    const perType = t => infos.filter(i => t.includes(i.type)).length;
    if (perType(['storage', 'read-only-storage']) > kLimits.maxStorageBuffersPerShaderStage ||
        perType(['uniform']) > kLimits.maxUniformBuffersPerShaderStage) return fail('validation', 'too many buffers');
    Object.assign(pipeline, { _kernel: kernel, _infos: infos, _layouts: layouts });
    return { pipeline };
  }
  createComputePipeline(desc) {
    const made = this._makePipeline(desc);
    if (made.reason) this._error(made.reason, `createComputePipeline: ${made.message}`);
    return made.pipeline;
  }
  async createComputePipelineAsync(desc) {
    const made = this._makePipeline(desc);
    if (made.reason) throw new GPUPipelineError(made.message, { reason: made.reason });
    return made.pipeline;
  }
  createCommandEncoder(desc) { return new GPUCommandEncoder(this, desc); }

  _dispatch(pipeline, bindings, [x, y, z]) {
    const list = bindings.map(b => ({ group: b.group, binding: b.binding, buffer: b.buffer._handle, offset: b.offset, bytes: b.bytes }));
    stats.launches++;
    this._check(vyre.run(pipeline._kernel, list.length ? list : null, list.length, { unit: 0, x, y, z }, null, kDeadline));
  }
}
for (const name of ['createTexture', 'createSampler', 'createRenderPipeline', 'createQuerySet',
  'createRenderBundleEncoder', 'importExternalTexture']) {
  GPUDevice.prototype[name] = function () { throw new Unsupported(name); };
}
GPUDevice.prototype.createRenderPipelineAsync = async function () { throw new Unsupported('createRenderPipelineAsync'); };

// ---- Adapter -----------------------------------------------------------------------------------

class GPUAdapter {
  constructor() {
    this.features = new GPUSupportedFeatures(probe().features);
    this.limits = new GPUSupportedLimits(kLimits);
    this.isFallbackAdapter = false;
    this.info = new GPUAdapterInfo({ vendor: 'vyre', architecture: 'cpu', device: '', description: `vyre ${vyre.version()}`,
      subgroupMinSize: 32, subgroupMaxSize: 32, isFallbackAdapter: false });
  }
  async requestDevice(desc) {
    for (const f of desc?.requiredFeatures ?? []) if (!this.features.has(f)) throw new TypeError(`feature ${f}`);
    for (const [name, value] of Object.entries(desc?.requiredLimits ?? {})) {
      if (value === undefined) continue;
      if (!(name in kLimits)) throw new DOMException(`limit ${name}`, 'OperationError');
      if (name.startsWith('min') ? value < kLimits[name] : value > kLimits[name]) throw new DOMException(`limit ${name}`, 'OperationError');
    }
    if (this._consumed) throw new DOMException('adapter consumed', 'OperationError');
    this._consumed = true;
    return new GPUDevice(this, desc);
  }
}

class GPU {
  constructor() { this.wgslLanguageFeatures = new WGSLLanguageFeatures(probe().language); }
  async requestAdapter() { return new GPUAdapter(); }
  getPreferredCanvasFormat() { return 'bgra8unorm'; }
}

Object.assign(globalThis, { GPU, GPUAdapter, GPUAdapterInfo, GPUBindGroup, GPUBindGroupLayout, GPUBuffer, GPUBufferUsage,
  GPUColorWrite, GPUCommandBuffer, GPUCommandEncoder, GPUCompilationInfo, GPUCompilationMessage, GPUComputePassEncoder,
  GPUComputePipeline, GPUDevice, GPUDeviceLostInfo, GPUError, GPUInternalError, GPUMapMode, GPUOutOfMemoryError,
  GPUPipelineError, GPUPipelineLayout, GPUQuerySet, GPUQueue, GPUExternalTexture, GPURenderBundle, GPURenderBundleEncoder,
  GPURenderPassEncoder, GPURenderPipeline, GPUSampler, GPUShaderModule, GPUShaderStage,
  GPUSupportedFeatures, GPUSupportedLimits, GPUTexture, GPUTextureUsage, GPUTextureView, GPUUncapturedErrorEvent, GPUValidationError });

module.exports = { create: () => new GPU(), stats, kByDesign };

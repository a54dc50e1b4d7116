// A QR code of an address, as ISO/IEC 18004 has it: bytes, error correction M, versions 1 to 20.
//
// The page draws the code as a path, so that a phone can read the address at which a code is entered.

// For each version: codewords of error correction in a block, and blocks.
const matrixBlocks = [[10, 1], [16, 1], [26, 1], [18, 2], [24, 2], [16, 4], [18, 4], [22, 4], [22, 5], [26, 5],
  [30, 5], [22, 8], [22, 9], [24, 9], [24, 10], [28, 10], [28, 11], [26, 13], [26, 14], [26, 16]];

function matrixPicture(text) {
  const rows = matrix(new TextEncoder().encode(text));
  if (!rows) return undefined;
  const size = rows.length + 8;
  let path = "";
  for (const [y, row] of rows.entries()) {
    for (const [x, isDark] of row.entries()) if (isDark) path += `M${x + 4} ${y + 4}h1v1h-1z`;
  }
  return element("div", { class: "matrix" }, drawing(size, path, { role: "img", id: "device-matrix",
    "aria-label": "The address as a QR code, for a phone", "shape-rendering": "crispEdges" }));
}

// The modules in rows; undefined where the text is too long.
function matrix(bytes) {
  let version = 1;
  while (version <= matrixBlocks.length && bytes.length > room(version) - (version < 10 ? 2 : 3)) version += 1;
  if (version > matrixBlocks.length) return undefined;
  const size = version * 4 + 17;
  const rows = Array.from({ length: size }, () => new Array(size).fill(false));
  const taken = rows.map((row) => row.slice());
  const set = (x, y, isDark) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    rows[y][x] = isDark;
    taken[y][x] = true;
  };
  for (let at = 0; at < size; at += 1) { set(6, at, at % 2 === 0); set(at, 6, at % 2 === 0); }
  const square = (x, y, radius, light) => {
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1) {
        set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
      }
    }
  };
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(x, y, 4, [2, 4]);
  const places = alignments(version);
  const last = places.length - 1;
  for (const [i, x] of places.entries()) {
    for (const [j, y] of places.entries()) {
      if (!((i === 0 && (j === 0 || j === last)) || (i === last && j === 0))) square(x, y, 2, [1]);
    }
  }
  const format = (mask) => {
    let rest = mask;
    for (let at = 0; at < 10; at += 1) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    const bits = ((mask << 10) | rest) ^ 0x5412;
    const bit = (at) => ((bits >>> at) & 1) === 1;
    for (let at = 0; at < 15; at += 1) {
      if (at < 8) set(size - 1 - at, 8, bit(at)); else set(8, size - 15 + at, bit(at));
      if (at < 6) set(8, at, bit(at)); else if (at < 8) set(8, at + 1, bit(at));
      else set(at === 8 ? 7 : 14 - at, 8, bit(at));
    }
    set(8, size - 8, true);
  };
  format(0);
  if (version >= 7) {
    let rest = version;
    for (let at = 0; at < 12; at += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let at = 0; at < 18; at += 1) {
      const [far, near, isDark] = [size - 11 + (at % 3), Math.floor(at / 3), ((bits >>> at) & 1) === 1];
      set(far, near, isDark);
      set(near, far, isDark);
    }
  }
  placeBits(rows, taken, codewords(bytes, version));
  const isTurned = [(x, y) => (x + y) % 2, (_, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3,
    (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2, (x, y) => ((x * y) % 2) + ((x * y) % 3),
    (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2];
  const turn = (mask) => {
    for (const [y, row] of rows.entries()) {
      for (const [x, isDark] of row.entries()) if (!taken[y][x] && isTurned[mask](x, y) === 0) row[x] = !isDark;
    }
  };
  // Readers accept each mask; the one with the fewest even patches is the easiest to read.
  let best = 0, least = Infinity;
  for (let mask = 0; mask < 8; mask += 1) {
    turn(mask);
    const patches = evenPatches(rows);
    if (patches < least) [best, least] = [mask, patches];
    turn(mask);
  }
  turn(best);
  format(best);
  return rows;
}

function moduleCount(version) {
  const columns = Math.floor(version / 7) + 2;
  const base = (16 * version + 128) * version + 64;
  return version === 1 ? base : base - ((25 * columns - 10) * columns - 55) - (version >= 7 ? 36 : 0);
}
const room = (version) => {
  const [correction, blocks] = matrixBlocks[version - 1] ?? [0, 0];
  return Math.floor(moduleCount(version) / 8) - correction * blocks;
};
function alignments(version) {
  if (version === 1) return [];
  const columns = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (columns * 2 - 2)) * 2;
  const places = [6];
  for (let at = version * 4 + 10; places.length < columns; at -= step) places.splice(1, 0, at);
  return places;
}

function codewords(bytes, version) {
  const bits = [];
  const add = (value, length) => { for (let at = length - 1; at >= 0; at -= 1) bits.push((value >>> at) & 1); };
  add(4, 4);
  add(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) add(byte, 8);
  add(0, Math.min(4, room(version) * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data = [];
  for (let at = 0; at < bits.length; at += 8) data.push(parseInt(bits.slice(at, at + 8).join(""), 2));
  for (let pad = 0xec; data.length < room(version); pad ^= 0xec ^ 0x11) data.push(pad);
  const [correction, blockCount] = matrixBlocks[version - 1];
  const whole = Math.floor(moduleCount(version) / 8);
  const short = Math.floor(whole / blockCount) - correction;
  const shorts = blockCount - (whole % blockCount);
  const generator = generatorOf(correction);
  const blocks = [];
  for (let at = 0, index = 0; index < blockCount; index += 1) {
    const part = data.slice(at, at + short + (index < shorts ? 0 : 1));
    at += part.length;
    blocks.push([part, remainder(part, generator)]);
  }
  const woven = [];
  for (const side of [0, 1]) {
    for (let at = 0; at < Math.max(short + 1, correction); at += 1) {
      for (const block of blocks) if (at < block[side].length) woven.push(block[side][at]);
    }
  }
  return woven;
}
// The product in GF(256).
function times(one, other) {
  let product = 0;
  for (let at = 7; at >= 0; at -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((other >>> at) & 1) * one;
  }
  return product;
}
function generatorOf(degree) {
  const made = new Array(degree).fill(0);
  made[degree - 1] = 1;
  for (let step = 0, root = 1; step < degree; step += 1, root = times(root, 2)) {
    for (let at = 0; at < degree; at += 1) made[at] = times(made[at], root) ^ (made[at + 1] ?? 0);
  }
  return made;
}
function remainder(data, generator) {
  const rest = generator.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    generator.forEach((each, at) => { rest[at] ^= times(each, factor); });
  }
  return rest;
}

// Writes the bits into the free modules, in columns of two, up and down from the right.
function placeBits(rows, taken, bytes) {
  const size = rows.length;
  let next = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        if (taken[y][x] || next >= bytes.length * 8) continue;
        rows[y][x] = ((bytes[next >>> 3] >>> (7 - (next & 7))) & 1) === 1;
        next += 1;
      }
    }
  }
}
function evenPatches(rows) {
  let found = 0;
  for (let y = 1; y < rows.length; y += 1) {
    for (let x = 1; x < rows.length; x += 1) {
      const [a, b] = [rows[y - 1], rows[y]];
      if (a[x - 1] === a[x] && a[x] === b[x] && b[x] === b[x - 1]) found += 1;
    }
  }
  return found;
}

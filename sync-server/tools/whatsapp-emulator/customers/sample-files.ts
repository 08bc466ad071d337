import { crc32, deflateSync } from 'node:zlib'

/** Small complete files of common kinds, generated instead of stored. */
export const sampleFiles = {
  image: () => ({ mimeType: 'image/png', bytes: drawPicture(320, 200), filename: 'sunset.png' }),
  voice: () => ({
    mimeType: 'audio/ogg; codecs=opus',
    bytes: recordSilence(50),
    filename: 'voice.ogg',
  }),
  document: () => ({
    mimeType: 'application/pdf',
    bytes: printPage('Invoice 7'),
    filename: 'invoice-7.pdf',
  }),
} as const

export type SampleName = keyof typeof sampleFiles

const fromLatin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

function join(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  parts.reduce((at, part) => {
    whole.set(part, at)
    return at + part.length
  }, 0)
  return whole
}

function writeNumber(value: number, isLittleEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, isLittleEndian)
  return bytes
}

/** A sky in the evening, as PNG. */
function drawPicture(width: number, height: number) {
  const rows = Array.from({ length: height }, (_, y) => {
    const row = new Uint8Array(1 + width * 3)
    for (let x = 0; x < width; x += 1) {
      const isSun = (x - width * 0.7) ** 2 + (y - height * 0.55) ** 2 < 28 ** 2
      const depth = y / height
      const sky = [40 + depth * 210, 60 + depth * 90, 120 - depth * 40]
      row.set((isSun ? [255, 236, 170] : sky).map(Math.round), 1 + x * 3)
    }
    return row
  })
  const size = join(writeNumber(width, false), writeNumber(height, false))
  return join(
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    writeChunk('IHDR', join(size, Uint8Array.of(8, 2, 0, 0, 0))),
    writeChunk('IDAT', Uint8Array.from(deflateSync(join(...rows)))),
    writeChunk('IEND', new Uint8Array()),
  )
}

function writeChunk(name: string, data: Uint8Array): Uint8Array {
  const body = join(fromLatin(name), data)
  return join(writeNumber(data.length, false), body, writeNumber(crc32(body), false))
}

/** Quiet Opus in OGG, 20 ms a frame. */
function recordSilence(frames: number) {
  const rate = writeNumber(48_000, true)
  const head = join(fromLatin('OpusHead\u0001\u0001\u0000\u0000'), rate, new Uint8Array(3))
  const tags = join(fromLatin('OpusTags\u0006\u0000\u0000\u0000Petrel'), new Uint8Array(4))
  const silent = Uint8Array.of(0xf8, 0xff, 0xfe)
  return join(
    writePage({ packets: [head], sequence: 0, granule: 0, flags: 2 }),
    writePage({ packets: [tags], sequence: 1, granule: 0, flags: 0 }),
    writePage({
      packets: Array.from({ length: frames }, () => silent),
      sequence: 2,
      granule: frames * 960,
      flags: 4,
    }),
  )
}

function writePage(page: {
  packets: Uint8Array[]
  sequence: number
  granule: number
  flags: number
}): Uint8Array {
  const { packets, sequence, granule, flags } = page
  const serial = writeNumber(7, true)
  const whole = join(
    fromLatin('OggS'),
    Uint8Array.of(0, flags),
    ...[writeNumber(granule, true), new Uint8Array(4), serial],
    ...[writeNumber(sequence, true), new Uint8Array(4), Uint8Array.of(packets.length)],
    Uint8Array.from(packets, ({ length }) => length),
    ...packets,
  )
  whole.set(writeNumber(sumOgg(whole), true), 22)
  return whole
}

function sumOgg(bytes: Uint8Array): number {
  const sum = { value: 0 }
  for (const byte of bytes) {
    sum.value ^= byte << 24
    for (let bit = 0; bit < 8; bit += 1) {
      sum.value = sum.value & 0x80000000 ? (sum.value << 1) ^ 0x04c11db7 : sum.value << 1
    }
  }
  return sum.value >>> 0
}

function printPage(text: string) {
  const drawing = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  const parts = ['%PDF-1.4\n']
  const places = objects.map((object, index) => {
    const at = parts.join('').length
    parts.push(`${index + 1} 0 obj\n${object}\nendobj\n`)
    return at
  })
  const tableAt = parts.join('').length
  const rows = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`,
    `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${tableAt}\n%%EOF\n`,
  )
  return fromLatin(parts.join(''))
}

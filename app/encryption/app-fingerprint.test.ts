import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { fingerprintFiles } from './app-fingerprint.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const files = [
  { path: 'assets/index.js', bytes: bytesOf('start()') },
  { path: 'index.html', bytes: bytesOf('<script src="assets/index.js"></script>') },
]

test('P13: the fingerprint is what sha256sum says of what it says of the files', () => {
  const sums = files.map(
    ({ path, bytes }) => `${createHash('sha256').update(bytes).digest('hex')}  ${path}\n`,
  )
  const whole = createHash('sha256').update(sums.join('')).digest('hex')
  expect(fingerprintFiles(files)).toBe(whole)
})

test('P13: another byte, another name and another order make another fingerprint', () => {
  const [script, page] = files as [(typeof files)[0], (typeof files)[0]]
  const others = [
    [{ ...script, bytes: bytesOf('start();') }, page],
    [{ ...script, path: 'assets/other.js' }, page],
    [page, script],
    [page],
  ]
  const found = [files, ...others].map(fingerprintFiles)
  expect(new Set(found).size).toBe(found.length)
})

import { expect, test } from 'vitest'
import { readDeviceCode } from './read-device-code.ts'

const id = 'AbCdEfGhIjKlMnOpQrSt_-'
const link = `https://chat.example.org/link#${id}`

test.each([
  [link, id],
  [` #${id}\n`, id],
  [id, id],
  [`https://chat.example.org/chat#${id}`, undefined],
  [`https://chat.example.org/link#${id}x`, undefined],
  ['https://chat.example.org/link', undefined],
  ['WIFI:T:WPA;S:ship;P:storm;;', undefined],
  ['', undefined],
])('%j stands for the device %s', (text, found) => {
  expect(readDeviceCode(text)).toBe(found)
})

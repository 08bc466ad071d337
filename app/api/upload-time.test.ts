import { expect, test } from 'vitest'
import type { Caller } from './caller.ts'
import { createMessageCalls } from './message-calls.ts'
import { createOwnCalls } from './own-calls.ts'

const MiB = 1024 * 1024
const minuteMs = 60_000

/** The real calls, with a caller that only records their timeouts. */
async function readTimeout(bytes: number, send: (call: Caller, file: Blob) => Promise<unknown>) {
  const noted: (number | undefined)[] = []
  const call: Caller = async ({ timeoutMs }) => {
    noted.push(timeoutMs)
    throw new Error('not sent')
  }
  const file = new Blob([new Uint8Array(bytes)], { type: 'image/png' })
  await expect(send(call, file)).rejects.toThrow('not sent')
  return noted[0]
}

test('a file gets the time that it needs on a slow line, and a small one no more than it', async () => {
  const send = (call: Caller, file: Blob) =>
    createMessageCalls(call).upload({ file, filename: 'a.png' })
  expect(await readTimeout(25 * MiB, send)).toBeGreaterThan(50 * minuteMs)
  expect(await readTimeout(100, send)).toBeLessThan(6 * minuteMs)
})

test('so does a profile picture', async () => {
  const record = { get: () => undefined, set: () => undefined }
  const send = (call: Caller, picture: Blob) =>
    createOwnCalls({ call, record }).updatePicture(picture)
  expect(await readTimeout(5 * MiB, send)).toBeGreaterThan(10 * minuteMs)
})

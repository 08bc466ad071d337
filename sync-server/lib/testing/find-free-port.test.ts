import { expect, test } from 'vitest'
import { findFreePort } from './find-free-port.ts'

test('no port is given twice, also not to somebody who knows nothing of the first', async () => {
  const anotherInstance = './find-free-port.ts?another'
  const other = (await import(anotherInstance)) as { findFreePort: typeof findFreePort }
  expect(other.findFreePort).not.toBe(findFreePort)
  const given: number[] = []
  for (const find of [findFreePort, other.findFreePort, findFreePort, other.findFreePort]) {
    given.push(await find())
  }
  expect(new Set(given).size).toBe(given.length)
})

import { expect, test } from 'vitest'
import { createPullPace } from './pull-pace.ts'

/** A device that stores on command, and whether there is room for another page. */
function start() {
  const device = { stored: '0' }
  const pace = createPullPace(() => device.stored)
  const take = (place: number, count = 2_000) => pace.record({ place: String(place), count })
  async function hasRoom() {
    // With room it resolves immediately; without, it checks again later.
    const aTurnLater = new Promise((resolve) => setImmediate(resolve, 'waits'))
    return (await Promise.race([pace.untilRoom(), aTurnLater])) !== 'waits'
  }
  return { device, pace, take, hasRoom }
}

test('the next page waits while two are not stored, and comes when one of them is', async () => {
  const { device, take, hasRoom, pace } = start()
  take(500)
  expect(await hasRoom()).toBe(true)
  take(1_000)
  expect(await hasRoom()).toBe(false)
  device.stored = '500'
  await pace.untilRoom()
})

test('what is stored in one write makes room for all of it', async () => {
  const { device, take, hasRoom } = start()
  for (const place of [500, 1_000, 1_500]) take(place)
  device.stored = '1500'
  expect(await hasRoom()).toBe(true)
  take(2_000)
  expect(await hasRoom()).toBe(true)
})

test('messages that come one by one never wait', async () => {
  const { take, hasRoom } = start()
  for (let place = 1; place <= 300; place++) take(place, 1)
  expect(await hasRoom()).toBe(true)
})

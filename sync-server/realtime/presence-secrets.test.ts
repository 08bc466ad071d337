import { describe, expect, it } from 'vitest'
import { isNamed, isShownAsOnline, openTestPresence } from '../testing/open-test-presence.ts'

/** Ann, Ben and Cyd; whenever Ben hears of Cyd, he has heard of Ann too. */
async function start(settings: Record<string, string> = {}, usersOnlineMax?: number) {
  const overrides = usersOnlineMax === undefined ? {} : { usersOnlineMax }
  const presence = await openTestPresence(settings, overrides)
  const { register } = presence.app
  const people = { ann: await register('Ann'), ben: await register('Ben') }
  return { ...presence, ...people, cyd: await register('Cyd') }
}

describe.each([
  ['everybody hears of', undefined],
  ['only some hear of', 0],
])('P8: where %s, who blocks somebody', (_what, usersOnlineMax) => {
  it.each([
    ['by changes', ['presence-changes']],
    ['by lists', []],
  ])('comes and goes without their knowing, told %s', async (_how, understands) => {
    const { ann, ben, cyd, connect, setBlocked, write } = await start({}, usersOnlineMax)
    await write(ann, ben)
    await write(cyd, ben)
    await setBlocked(ann, ben, true)
    const bens = await connect(ben, understands)
    if (usersOnlineMax === 0) bens.say('watch-people', { userIds: [ann.userId, cyd.userId] })
    for (let round = 0; round < 2; round += 1) {
      const anns = await connect(ann)
      const cyds = await connect(cyd)
      await expect.poll(() => isShownAsOnline(bens, cyd)).toBe(true)
      expect(isShownAsOnline(bens, ann)).toBe(false)
      anns.socket.close()
      await anns.closed
      cyds.socket.close()
      await expect.poll(() => isShownAsOnline(bens, cyd)).toBe(false)
    }
    const changes = bens.heard.flatMap((one) =>
      one.event === 'presence-changed' ? [one.data] : [],
    )
    for (const { online } of changes) expect(online).not.toContain(ann.userId)
    // Named at most once: as offline, when he asked.
    const timesNamed = changes.filter(({ offline }) => offline.includes(ann.userId)).length
    expect(timesNamed).toBeLessThanOrEqual(usersOnlineMax === 0 ? 1 : 0)
  })

  it('goes from the other’s sight at once, and is there again afterwards', async () => {
    const { ann, ben, connect, setBlocked, write } = await start({}, usersOnlineMax)
    await write(ann, ben)
    const [anns, bens] = [await connect(ann), await connect(ben)]
    await expect.poll(() => isShownAsOnline(bens, ann)).toBe(true)
    await expect.poll(() => isShownAsOnline(anns, ben)).toBe(true)
    await setBlocked(ann, ben, true)
    await expect.poll(() => isShownAsOnline(bens, ann)).toBe(false)
    await expect.poll(() => isShownAsOnline(anns, ben)).toBe(false)
    await setBlocked(ann, ben, false)
    await expect.poll(() => isShownAsOnline(bens, ann)).toBe(true)
  })
})

it('P8: who blocks somebody and is asked for while they are there is offline', async () => {
  const { ann, ben, cyd, connect, setBlocked } = await start({}, 0)
  await setBlocked(ann, ben, true)
  await connect(ann)
  await connect(cyd)
  const bens = await connect(ben)
  await expect.poll(() => bens.last('presence-scope')).toBe('some')
  bens.say('watch-people', { userIds: [ann.userId, cyd.userId] })
  await expect.poll(() => isShownAsOnline(bens, cyd)).toBe(true)
  expect(isShownAsOnline(bens, ann)).toBe(false)
})

describe('P8: with DIRECTORY=contacts', () => {
  it('nobody learns of people without a chat, however they ask', async () => {
    const { ann, ben, cyd, connect, write } = await start({ DIRECTORY: 'contacts' })
    await write(ann, ben)
    const bens = await connect(ben)
    await connect(cyd)
    const anns = await connect(ann)
    expect(isShownAsOnline(anns, ben)).toBe(true)
    await expect.poll(() => isShownAsOnline(bens, ann)).toBe(true)
    anns.say('watch-people', { userIds: [cyd.userId] })
    bens.socket.close()
    await expect.poll(() => isShownAsOnline(anns, ben)).toBe(false)
    expect(isShownAsOnline(anns, cyd)).toBe(false)
    expect(isNamed(bens, cyd)).toBe(false)
    expect(anns.count('presence-scope')).toBe(0)
  })
})

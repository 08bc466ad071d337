import { describe, expect, it } from 'vitest'
import { limits } from '../../schema/limits.ts'
import {
  isNamed,
  isShownAsOnline,
  openTestPresence,
  whoIsOnline,
} from '../testing/open-test-presence.ts'
import type { TestPerson } from '../testing/start-test-app.ts'

/** Ann, Ben, Cyd and Dan on a server that announces everybody while at most two are online. */
async function start() {
  const presence = await openTestPresence({}, { usersOnlineMax: 2 })
  const { register } = presence.app
  const [ann, ben] = [await register('Ann'), await register('Ben')]
  const [cyd, dan] = [await register('Cyd'), await register('Dan')]
  return { ...presence, ann, ben, cyd, dan }
}

const idsOf = (...people: TestPerson[]) => new Set(people.map(({ userId }) => userId))

describe('when too many are online to announce everybody', () => {
  it('a device hears of the people that its person has a chat with', async () => {
    const { ann, ben, cyd, dan, connect, write } = await start()
    await write(ann, ben)
    const bens = await connect(ben)
    await connect(cyd)
    const dans = await connect(dan)
    const anns = await connect(ann)
    expect(anns.last('presence-scope')).toBe('some')
    await expect.poll(() => whoIsOnline(anns)).toEqual(idsOf(ann, ben))
    await expect.poll(() => isShownAsOnline(bens, ann)).toBe(true)
    bens.socket.close()
    await expect.poll(() => whoIsOnline(anns)).toEqual(idsOf(ann))
    await expect.poll(() => whoIsOnline(dans)).toEqual(idsOf(dan))
  })

  it('and of those it watches, as long as it does', async () => {
    const { app, ann, ben, cyd, dan, connect } = await start()
    const [bens] = [await connect(ben), await connect(cyd)]
    await connect(await app.register('Emil'))
    const anns = await connect(ann)
    await expect.poll(() => anns.last('presence-scope')).toBe('some')
    anns.say('watch-people', { userIds: [ben.userId, dan.userId] })
    await expect.poll(() => whoIsOnline(anns)).toEqual(idsOf(ann, ben))
    const dans = await connect(dan)
    await expect.poll(() => whoIsOnline(anns)).toEqual(idsOf(ann, ben, dan))

    anns.say('watch-people', { userIds: [dan.userId] })
    anns.say('typing', { recipientId: ann.userId })
    await expect.poll(() => anns.count('user-typing')).toBe(1)
    for (const { socket, closed } of [bens, dans]) {
      socket.close()
      await closed
    }
    await expect.poll(() => isShownAsOnline(anns, dan)).toBe(false)
    // Ben went before Dan did, and she was not told.
    expect(isShownAsOnline(anns, ben)).toBe(true)
    anns.say('watch-people', { userIds: [ben.userId] })
    await expect.poll(() => whoIsOnline(anns)).toEqual(idsOf(ann))
  })

  it('a device of the first version is told the same by lists', async () => {
    const { ann, ben, cyd, dan, connect, write } = await start()
    await write(ann, ben)
    await connect(cyd)
    await connect(dan)
    const anns = await connect(ann, [])
    const bens = await connect(ben)
    await expect.poll(() => whoIsOnline(anns)).toEqual(idsOf(ann, ben))
    bens.socket.close()
    await expect.poll(() => whoIsOnline(anns)).toEqual(idsOf(ann))
    expect(isNamed(anns, cyd)).toBe(false)
    expect(anns.count('presence-changed') + anns.count('presence-scope')).toBe(0)
  })

  it('a chat that begins is noticed', async () => {
    const { ann, ben, cyd, connect, write } = await start()
    await connect(cyd)
    const [anns, bens] = [await connect(ann), await connect(ben)]
    await expect.poll(() => anns.last('presence-scope')).toBe('some')
    await write(ann, ben)
    await expect.poll(() => isShownAsOnline(anns, ben)).toBe(true)
    await expect.poll(() => isShownAsOnline(bens, ann)).toBe(true)
  })

  it('who comes and goes is told to nobody but those who know them', async () => {
    const { ann, ben, cyd, dan, connect, write } = await start()
    await write(ann, dan)
    const others = [await connect(ben), await connect(cyd)]
    const anns = await connect(ann)
    for (const other of others) {
      await expect.poll(() => other.count('users-online')).toBe(2)
      expect(whoIsOnline(other).size).toBe(1)
    }
    const heard = others.map((other) => other.heard.length)
    const dans = await connect(dan)
    await expect.poll(() => isShownAsOnline(anns, dan)).toBe(true)
    dans.socket.close()
    await expect.poll(() => isShownAsOnline(anns, dan)).toBe(false)
    expect(others.map((other) => other.heard.length)).toEqual(heard)
  })

  it('it turns into everybody again when they are fewer', async () => {
    const { ann, ben, cyd, connect } = await start()
    const [anns, bens] = [await connect(ann), await connect(ben)]
    await expect.poll(() => whoIsOnline(anns)).toEqual(idsOf(ann, ben))
    expect(anns.count('presence-scope')).toBe(0)
    const cyds = await connect(cyd)
    await expect.poll(() => anns.last('presence-scope')).toBe('some')
    await expect.poll(() => whoIsOnline(anns)).toEqual(idsOf(ann))
    bens.socket.close()
    await expect.poll(() => anns.last('presence-scope')).toBe('everybody')
    await expect.poll(() => whoIsOnline(anns)).toEqual(idsOf(ann, cyd))
    await expect.poll(() => whoIsOnline(cyds)).toEqual(idsOf(ann, cyd))
  })

  it('more than a hundred people cannot be watched at once', async () => {
    const { ann, ben, connect } = await start()
    const anns = await connect(ann)
    const userIds = Array(limits.watchedPeopleMax + 1).fill(ben.userId)
    anns.say('watch-people', { userIds })
    expect(await anns.closed).toBe(4400)
  })
})

import { expect, it } from 'vitest'
import { limits } from '../../schema/limits.ts'
import { createGroupFrames, createTypingLimit, type TypingEvent } from './event-handler.ts'

const [ann, ben, cyd] = ['ann', 'ben', 'cyd']
const [typing, stop] = ['user-typing', 'user-stop-typing'] as const

function open() {
  const clock = { ms: 0 }
  const limit = createTypingLimit(() => clock.ms)
  const say = (event: TypingEvent, recipientId = ben) =>
    limit.take({ senderId: ann, recipientId, event })
  return { clock, limit, say }
}

it('the same is told again no sooner than the app says it, for each pair by itself', () => {
  const { clock, limit, say } = open()
  expect([say(typing), say(typing), say(typing, cyd)]).toEqual([true, false, true])
  expect(limit.take({ senderId: ben, recipientId: ann, event: typing })).toBe(true)
  for (let round = 0; round < 100; round += 1) {
    clock.ms += limits.typingEmitEveryMs
    expect([say(typing), say(typing)]).toEqual([true, false])
  }
})

it('a stop, and the typing after it, are told at once', () => {
  const { clock, say } = open()
  for (let message = 0; message < 20; message += 1) {
    clock.ms += 3 * limits.typingEmitEveryMs
    expect([typing, stop, typing].map((event) => say(event))).toEqual([true, true, true])
  }
})

it('P12: who types and stops without end is told about as seldom', () => {
  const { clock, say } = open()
  const state = { told: 0 }
  for (let frame = 0; frame < 600; frame += 1) {
    clock.ms += 1_000 / 60
    state.told += Number(say(frame % 2 === 0 ? typing : stop))
  }
  const due = 10_000 / limits.typingEmitEveryMs
  expect(state.told).toBeLessThan(due + 5)
  // It owes nothing for what was not told.
  clock.ms += 2 * limits.typingEmitEveryMs
  expect(say(typing)).toBe(true)
})

it('P12: all who type in one group cost its members no more than a bounded number of frames', () => {
  const clock = { ms: 0 }
  const frames = createGroupFrames(() => clock.ms)
  const largest = limits.groups.membersMax - 1
  const count = { told: 0 }
  for (let typist = 0; typist < 500; typist += 1) {
    count.told += Number(frames.take(ann, largest))
    clock.ms += 2
  }
  // A second's typing of five hundred people, which would be half a million frames.
  expect(count.told).toBeGreaterThan(0)
  expect(count.told * largest).toBeLessThanOrEqual(4_000)
  expect(frames.take(ben, largest)).toBe(true)
})

import { expect, test } from 'vitest'
import { stepVoice, type Voice, type VoiceEvent, type VoiceState } from './step-voice.ts'

const voice: Voice = { bytes: new Blob(['hello']), durationMs: 1_000, waveform: '0az' }
const asking = { kind: 'asking', isHeld: true } as const
const follow = (...events: VoiceEvent[]) => events.reduce<VoiceState>(stepVoice, asking)
const opened = { kind: 'opened' } as const
const recorded = { kind: 'recorded', voice } as const

test('releasing a held recording sends it', () => {
  expect(follow(opened, { kind: 'sent' })).toEqual({ kind: 'ending', isSent: true })
  expect(follow(opened, { kind: 'sent' }, recorded)).toEqual({ kind: 'sending', voice })
  expect(follow(opened, { kind: 'sent' }, recorded, { kind: 'stored' })).toEqual({ kind: 'over' })
})

test('a stopped recording can be played, and repeated requests send it once', () => {
  const ready = follow(opened, { kind: 'locked' }, { kind: 'stopped' }, recorded)
  expect(ready).toEqual({ kind: 'ready', voice })
  const sending = stepVoice(ready, { kind: 'sent' })
  expect(stepVoice(sending, { kind: 'sent' })).toBe(sending)
  expect(stepVoice(sending, { kind: 'discarded' })).toBe(sending)
})

test('a finger lifted during the permission prompt sends nothing', () => {
  expect(follow({ kind: 'sent' }, opened)).toEqual({ kind: 'recording', isHeld: false })
})

test('P6: keeps a recording that broke off or could not be stored, with words', () => {
  const words = 'The microphone was disconnected.'
  expect(follow(opened, { kind: 'broken', words }, recorded)).toEqual({
    kind: 'ready',
    voice,
    words,
  })
  const full = 'Free up some space.'
  expect(follow(opened, { kind: 'sent' }, recorded, { kind: 'unstored', words: full })).toEqual({
    kind: 'ready',
    voice,
    words: full,
  })
})

test('without permission, or without sound, it says what to do', () => {
  const words = 'Allow the microphone.'
  expect(follow({ kind: 'refused', words })).toEqual({ kind: 'refused', words })
  const nothing = follow(opened, { kind: 'stopped' }, { kind: 'recorded', voice: undefined })
  expect(nothing).toEqual({
    kind: 'refused',
    words: expect.stringMatching(/^Nothing was recorded/),
  })
})

test('a discarded recording ignores all later events', () => {
  const states = [asking, follow(opened), follow(opened, { kind: 'stopped' }, recorded)]
  for (const state of states)
    expect(stepVoice(state, { kind: 'discarded' })).toEqual({ kind: 'over' })
  expect(follow({ kind: 'discarded' }, opened, recorded)).toEqual({ kind: 'over' })
})

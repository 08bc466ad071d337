import { expect, test } from 'vitest'
import { findVoiceFormat } from './voice-format.ts'

const find = (isForCustomer: boolean, ...written: string[]) =>
  findVoiceFormat({ isForCustomer, canRecord: (format) => written.includes(format) })

test('it is what most browsers play of what this one writes, and nothing where it writes none', () => {
  expect(find(false, 'audio/mp4', 'audio/ogg;codecs=opus')).toBe('audio/ogg;codecs=opus')
  expect(find(false, 'audio/mp4')).toBe('audio/mp4')
  expect(find(false)).toBeUndefined()
  expect(findVoiceFormat({ isForCustomer: false })).toBeUndefined()
})

test('for a customer it is what WhatsApp takes: no WebM, and no MP4 of which nobody knows what is inside', () => {
  expect(find(true, 'audio/webm;codecs=opus', 'audio/mp4')).toBeUndefined()
  expect(find(true, 'audio/webm;codecs=opus', 'audio/ogg;codecs=opus')).toBe(
    'audio/ogg;codecs=opus',
  )
})

import { expect, test } from 'vitest'
import { findVoiceFormat } from './voice-tool.tsx'

const find = (isForCustomer: boolean, ...written: string[]) =>
  findVoiceFormat({ isForCustomer, canRecord: (format) => written.includes(format) })

test('picks the most playable format that this browser can record, or none', () => {
  expect(find(false, 'audio/mp4', 'audio/ogg;codecs=opus')).toBe('audio/ogg;codecs=opus')
  expect(find(false, 'audio/mp4')).toBe('audio/mp4')
  expect(find(false)).toBeUndefined()
  expect(findVoiceFormat({ isForCustomer: false })).toBeUndefined()
})

test('for a customer picks what WhatsApp takes: no WebM, and no MP4 with unknown codecs', () => {
  expect(find(true, 'audio/webm;codecs=opus', 'audio/mp4')).toBeUndefined()
  expect(find(true, 'audio/webm;codecs=opus', 'audio/ogg;codecs=opus')).toBe(
    'audio/ogg;codecs=opus',
  )
})

import { expect, test } from 'vitest'
import { describeMessage } from './describe-message.ts'

test('a text is described by its words on one line', () => {
  expect(describeMessage({ type: 'text', content: ' two\n lines ' })).toBe('two lines')
})

test('a deleted message reveals nothing of its text', () => {
  expect(describeMessage({ type: 'text', content: '', deletedAt: 1 })).toBe(
    'This message was deleted',
  )
})

test.each([
  [{ type: 'image' }, 'Image'],
  [{ type: 'document' }, 'Document'],
  [{ type: 'interactive' }, 'Interactive Message'],
  [{ type: 'template', template: { name: 'hello_world' } }, 'Template: hello_world'],
] as const)('%o without words is called %s', (message, name) => {
  expect(describeMessage({ content: '', ...message })).toBe(name)
})

test('a voice message is named apart from other audio, with its length', () => {
  const file = { name: 'Voice message.webm', size: 1, mimeType: 'audio/webm' }
  const voice = { durationMs: 67_400, waveform: '0az' }
  const told = { type: 'audio', content: '' } as const
  expect(describeMessage({ ...told, file: { ...file, voice } })).toBe('Voice message (1:07)')
  expect(describeMessage({ ...told, file })).toBe('Audio')
})

test.each([
  ['*lit* _soon_ ~gone~ `npm`', 'lit soon gone npm'],
  ['*_both_* and snake_case 2*3*4', 'both and snake_case 2*3*4'],
  ['two *lines\nof* one', 'two *lines of* one'],
])('%j is described without the markers of its styles', (content, words) => {
  expect(describeMessage({ type: 'text', content })).toBe(words)
})

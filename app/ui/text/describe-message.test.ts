import { expect, test } from 'vitest'
import { describeMessage, sketchMessage } from './describe-message.ts'

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

test('in a row a file is drawn, and its words say what the drawing does not', () => {
  const file = { name: 'map.pdf', size: 1, mimeType: 'image/webp', preview: 'data:image/webp,x' }
  const voice = { durationMs: 14_000, waveform: '0az' }
  expect(sketchMessage({ type: 'image', content: '', file })).toEqual({
    icon: 'picture',
    thumb: file.preview,
    words: 'Photo',
  })
  expect(sketchMessage({ type: 'image', content: 'the pier', file }).words).toBe('the pier')
  expect(sketchMessage({ type: 'document', content: '', file }).words).toBe('map.pdf')
  expect(sketchMessage({ type: 'audio', content: '', file: { ...file, voice } })).toEqual({
    icon: 'mic',
    words: '0:14',
    spoken: 'Voice message (0:14)',
  })
  expect(sketchMessage({ type: 'image', content: '', file, deletedAt: 1 })).toEqual({
    icon: 'block',
    words: 'This message was deleted',
  })
  expect(sketchMessage({ type: 'text', content: 'hello' })).toEqual({ words: 'hello' })
})

test.each([
  ['*lit* _soon_ ~gone~ `npm`', 'lit soon gone npm'],
  ['*_both_* and snake_case 2*3*4', 'both and snake_case 2*3*4'],
  ['two *lines\nof* one', 'two *lines of* one'],
])('%j is described without the markers of its styles', (content, words) => {
  expect(describeMessage({ type: 'text', content })).toBe(words)
})

test('a row says what is new in a message, not what it quotes, unless it says nothing else', () => {
  const answer = '> Walks\n> who has the boat?\nI have\n> and the oars?'
  expect(sketchMessage({ type: 'text', content: answer })).toEqual({ words: 'I have' })
  expect(sketchMessage({ type: 'text', content: '> Walks\n> yes' }).words).toBe('> Walks > yes')
  expect(sketchMessage({ type: 'text', content: '3 > 2' }).words).toBe('3 > 2')
  expect(describeMessage({ type: 'text', content: '> yes\nno' })).toBe('> yes no')
})

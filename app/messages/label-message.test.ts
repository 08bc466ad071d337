import { expect, test } from 'vitest'
import { type MessageDocument, messageDocument } from '../../schema/message.ts'
import { labelMessage } from './bubble-parts.tsx'

const [ann, ben] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b']
const nameOf = (userId: string) => (userId === ben ? 'Ben' : 'somebody else')
const written = new Date(2026, 10, 21, 10, 2).getTime()

const label = (fields: Partial<MessageDocument>, quotedId?: string, marksPlain = false) => {
  const senderId = fields.senderId ?? ann
  const message = messageDocument.parse({
    _id: '01900000-0000-7000-8000-000000000001',
    peerId: ben,
    senderId,
    recipientId: ben,
    content: 'hello',
    createdAt: written,
    orderedAt: written,
    status: 'delivered',
    ...fields,
  })
  const quoted = quotedId === undefined ? undefined : { senderId: quotedId }
  const isOwn = senderId === ann
  return labelMessage({ message, isOwn, ownId: ann, nameOf, quoted, marksPlain })
}
const replyTo = '01900000-0000-7000-8000-000000000002'

test('the label gives author, time, status and text', () => {
  expect(label({})).toBe('You, 10:02, delivered: hello')
  expect(label({ status: 'failed' })).toBe('You, 10:02, not sent: hello')
  expect(label({ senderId: ben })).toBe('Ben, 10:02: hello')
})

test('it gives who reacted with what', () => {
  const reactions = { [ben]: { emoji: '👍', at: 2 }, [ann]: { emoji: '', at: 3 } }
  expect(label({ reactions })).toBe('You, 10:02, Ben reacted 👍, delivered: hello')
  const both = { ...reactions, [ann]: { emoji: '❤️', at: 1 } }
  expect(label({ reactions: both })).toBe(
    'You, 10:02, you reacted ❤️, Ben reacted 👍, delivered: hello',
  )
})

test('it gives the quoted author, and whether the message is edited or starred', () => {
  expect(label({ replyTo, editedAt: written, isStarred: true }, ben)).toBe(
    'You, 10:02, in reply to Ben, edited, starred, delivered: hello',
  )
  expect(label({ senderId: ben, replyTo }, ann)).toBe('Ben, 10:02, in reply to you: hello')
  expect(label({ senderId: ben, replyTo })).toBe('Ben, 10:02, a reply: hello')
})

test('a deleted message’s label gives nothing but that', () => {
  expect(label({ deletedAt: written, content: '', replyTo })).toBe(
    'You, 10:02: This message was deleted',
  )
})

test('a long text is cut at the end of a word', () => {
  expect(label({ content: 'petrel '.repeat(100) })).toMatch(/petrel…$/)
})

test('P13: in an encrypted chat what others could read says so, and what waits to be sealed does not', () => {
  const inEncrypted = (fields: Partial<MessageDocument>) => label(fields, undefined, true)
  expect(inEncrypted({})).toBe('You, 10:02, not encrypted, delivered: hello')
  expect(inEncrypted({ senderId: ben })).toBe('Ben, 10:02, not encrypted: hello')
  expect(inEncrypted({ sealed: '1.epoch.box' })).toBe('You, 10:02, delivered: hello')
  expect(inEncrypted({ status: 'sending' })).toBe('You, 10:02, waiting to be sent: hello')
  expect(inEncrypted({ deletedAt: written, content: '' })).not.toContain('encrypted')
})

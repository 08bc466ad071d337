import { gcmsiv } from '@noble/ciphers/aes.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import sealedValues from '../../schema/encryption/sealed-values.json' with { type: 'json' }
import { must } from '../../schema/helpers/assertions.ts'
import { limits } from '../../schema/limits.ts'
import { areMessagesEqual } from '../../schema/merge-messages.ts'
import { type MessageDocument, messageDocument } from '../../schema/message.ts'
import { type AccountKeys, deriveAccountKeys, publishKeys } from './account-keys.ts'
import { fromBase64Url } from './base64-url.ts'
import { createConversationKeys } from './conversation-keys.ts'
import { openFile } from './sealed-file.ts'
import {
  closeMessage,
  deriveEpoch,
  isAnyLocked,
  keepLaterWording,
  nameEpoch,
  type OpenedMessage,
  openMessage,
  sealMessage,
} from './sealed-message.ts'

const ann = '0190a000-0000-7000-8000-00000000000a'
const ben = '0190a000-0000-7000-8000-00000000000b'

const keysOf = (byte: number, number = 1): AccountKeys =>
  deriveAccountKeys({ seed: new Uint8Array(32).fill(byte), number })
const [annsKeys, bensKeys, cemsKeys] = [keysOf(1), keysOf(2), keysOf(3)]
const epoch = deriveEpoch(annsKeys, bensKeys.agreement.publicKey)
const findEpoch = (_peerId: string, id: string) => (id === epoch.id ? epoch : undefined)

const file = {
  name: 'petrel.jpg',
  size: 9_000,
  mimeType: 'image/jpeg',
  width: 4,
  height: 3,
  preview: 'data:image/webp;base64,AAAA',
  key: 'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE',
}

const written = (more: Partial<MessageDocument> = {}): MessageDocument =>
  messageDocument.parse({
    _id: '0190a000-0000-7000-8000-0000000000ff',
    peerId: ben,
    senderId: ann,
    recipientId: ben,
    content: 'the albatross lands',
    createdAt: 1,
    orderedAt: 1,
    ...more,
  })

const seal = (message: OpenedMessage, before?: OpenedMessage, userId = ann) =>
  sealMessage(message, { before, userId, epoch, findEpoch })
const asRead = (message: MessageDocument): MessageDocument => ({ ...message, peerId: ann })
const open = (message: OpenedMessage) => openMessage(message, findEpoch)

test.each([
  { nonce: '03', plain: '', also: '', sealed: '07f5f4169bbf55a8400cd47ea6fd400f' },
  {
    nonce: '03',
    plain: '0100000000000000',
    also: '',
    sealed: 'c2ef328e5c71c83b843122130f7364b761e0b97427e3df28',
  },
  {
    nonce: '03',
    plain: '0200000000000000',
    also: '01',
    sealed: '1de22967237a813291213f267e3b452f02d01ae33e4ec854',
  },
])('P13: AES-256-GCM-SIV: RFC 8452, appendix C.2: $sealed', ({ nonce, plain, also, sealed }) => {
  const key = hexToBytes('01'.padEnd(64, '0'))
  const cipher = () => gcmsiv(key, hexToBytes(nonce.padEnd(24, '0')), hexToBytes(also))
  expect(bytesToHex(cipher().encrypt(hexToBytes(plain)))).toBe(sealed)
  expect(bytesToHex(cipher().decrypt(hexToBytes(sealed)))).toBe(plain)
})

test('both people derive the same secret, and nobody else does', () => {
  const [own, others] = [
    deriveEpoch(bensKeys, annsKeys.agreement.publicKey),
    deriveEpoch(cemsKeys, annsKeys.agreement.publicKey),
  ]
  expect(own).toEqual(epoch)
  expect(own.id).toBe(nameEpoch(annsKeys.agreement.publicKey, bensKeys.agreement.publicKey))
  expect(others.id).not.toBe(epoch.id)
  expect(others.boxKey).not.toEqual(epoch.boxKey)
  expect(epoch.boxKey).not.toEqual(epoch.nonceKey)
  expect(() => deriveEpoch(annsKeys, new Uint8Array(32))).toThrow()
})

test.each(sealedValues.values)('P13: what $since sealed opens for ever: $register', (value) => {
  const { people, epoch: epochId, messageId: _id } = sealedValues
  const keys = [people.ann, people.ben].map(({ seed }) =>
    deriveAccountKeys({ seed: fromBase64Url(seed), number: 1 }),
  )
  const [anns, bens] = [must(keys[0], 'keys'), must(keys[1], 'keys')]
  const derived = deriveEpoch(bens, anns.agreement.publicKey)
  expect(derived.id).toBe(epochId)
  const { sealed, register, words } = value
  const stub = { name: 'file', size: 9_000, mimeType: 'application/octet-stream' }
  const isReaction = register === 'reaction'
  const reactions = { [people.ben.id]: { emoji: '', sealed, at: 3 } }
  const about = { _id, content: '', ...('file' in words && { file: stub }) }
  const arrived = asRead(written({ ...about, ...(isReaction ? { reactions } : { sealed }) }))
  const opened = openMessage(arrived, () => derived)
  expect(opened.locked).toBeUndefined()
  expect(isReaction ? opened.reactions?.[people.ben.id] : opened).toMatchObject(words)
})

test('P13: what this version seals is what the newest kept values say', () => {
  const sealed = seal(written())
  const second = seal({ ...sealed, content: 'the albatross stays' }, sealed)
  const third = seal({ ...second, content: 'the albatross flies' }, second)
  const withFile = seal(written({ type: 'image', content: '', file }))
  const reacted = seal({ ...sealed, reactions: { [ben]: { emoji: '👍', at: 3 } } }, sealed, ben)
  expect([sealed.sealed, third.sealed, withFile.sealed, reacted.reactions?.[ben]?.sealed]).toEqual(
    sealedValues.values.slice(-4).map((value) => value.sealed),
  )
})

test('P13: the kept file opens for ever', async () => {
  const { key, bytes, words } = sealedValues.file
  const sealed = new Blob([Uint8Array.from(fromBase64Url(bytes))])
  expect(await (await openFile(sealed, key, 'text/plain')).text()).toBe(words)
})

test('what leaves says nothing of the words, and comes back the same', () => {
  const message = seal(
    seal(written({ type: 'image', file, reactions: { [ann]: { emoji: '🙏', at: 2 } } })),
  )
  const closed = closeMessage(message)
  for (const word of ['albatross', 'petrel', 'jpeg', 'webp', '🙏', '"width"']) {
    expect(JSON.stringify(closed)).not.toContain(word)
  }
  expect(messageDocument.parse(closed)).toEqual(closed)
  expect(open(closed)).toEqual(message)
  expect(closeMessage(open(closed))).toEqual(closed)
  expect(closeMessage(closed)).toEqual(closed)
})

test('the same words seal to the same, others to something else of a length in steps', () => {
  expect(seal(written())).toEqual(seal(written()))
  const lengths = ['a', 'b'.repeat(20), 'c'.repeat(70)].map(
    (content) => must(seal(written({ content })).sealed, 'sealed').length,
  )
  expect(lengths[0]).toBe(lengths[1])
  expect(lengths[2]).toBeGreaterThan(must(lengths[1], 'a length'))
})

test('P13: the longest text of any script is not cut: sealed, it is within its own bound', () => {
  for (const letter of ['ব', '"', '\n', '😀']) {
    const content = letter.repeat(limits.messageMaxCharacters / letter.length)
    const sealed = seal(written({ content, type: 'document', file }))
    expect(sealed.sealed?.length).toBeLessThanOrEqual(limits.sealedMaxCharacters)
    const arrived = messageDocument.parse(closeMessage(sealed))
    expect(open(arrived).content === content).toBe(true)
  }
})

test('any words, names and reactions come back as they were written', () => {
  const text = fc.string({ unit: 'binary', maxLength: 80 })
  fc.assert(
    fc.property(text, text, (content, name) => {
      const message = seal(written({ content, file: { ...file, name: `n${name}`.slice(0, 200) } }))
      const back = open(JSON.parse(JSON.stringify(closeMessage(message))))
      expect(back).toEqual(JSON.parse(JSON.stringify(message)))
      expect(back.locked).toBeUndefined()
    }),
    { numRuns: 100 },
  )
})

test('P13: a sealed part that was moved or changed does not open, and stays as it came', () => {
  const { sealed = '' } = seal(written())
  const arrived = written({ content: '', sealed })
  const spoilt = `${sealed.slice(0, -3)}${sealed.at(-3) === 'A' ? 'B' : 'A'}${sealed.slice(-2)}`
  const moved: MessageDocument[] = [
    { ...arrived, _id: '0190a000-0000-7000-8000-0000000000fe' },
    { ...arrived, senderId: ben, recipientId: ann },
    { ...arrived, recipientId: '0190a000-0000-7000-8000-00000000000c' },
    { ...arrived, sealed: spoilt },
    { ...arrived, sealed: `1.${epoch.id}.AAAA` },
    { ...arrived, sealed: `1.${epoch.id}.` },
    { ...arrived, sealed: `1.${epoch.id}` },
  ]
  for (const message of moved) {
    expect(open(message)).toEqual({ ...message, locked: 'broken' })
    expect(closeMessage(open(message))).toEqual(message)
  }
  // A reaction is no text, and a text no reaction.
  const asReaction = { ...arrived, reactions: { [ann]: { emoji: '', sealed, at: 1 } } }
  expect(open(asReaction).reactions?.[ann]?.emoji).toBe('')
})

test('what cannot be opened says why, and opens when the key comes', () => {
  const message = seal(written())
  const closed = closeMessage(message)
  const locked = openMessage(closed, () => undefined)
  expect(locked).toEqual({ ...closed, locked: 'key' })
  expect(isAnyLocked(locked)).toBe(true)
  expect(open(locked)).toEqual(message)
  expect(isAnyLocked(open(locked))).toBe(false)
  const newer = { ...closed, sealed: '2.a.b.c' }
  expect(open(newer)).toEqual({ ...newer, locked: 'newer' })
})

test('words beside a sealed part count for nothing', () => {
  const closed = closeMessage(seal(written()))
  expect(open({ ...closed, content: 'forged' }).content).toBe('the albatross lands')
  expect(openMessage({ ...closed, content: 'forged' }, () => undefined).content).toBe('')
})

test('a star or a receipt leaves what is sealed as it is, an edit replaces it', () => {
  const message = open(seal(written()))
  const starred = seal({ ...message, isStarred: true, isStarredAt: 5 }, message)
  expect(starred.sealed).toBe(message.sealed)
  const edited = seal({ ...message, content: 'the albatross stays', editedAt: 5 }, message)
  expect(edited.sealed).not.toBe(message.sealed)
  expect(open(closeMessage(edited)).content).toBe('the albatross stays')
  // The same words again, after others, are another wording.
  const again = seal({ ...edited, content: message.content, editedAt: 6 }, edited)
  expect(again.sealed).not.toBe(message.sealed)
  expect(areMessagesEqual(closeMessage(again), closeMessage(message))).toBe(false)
})

test('P13: a wording that its author replaced takes nothing back, whatever time stands beside it', () => {
  const first = closeMessage(seal(written()))
  const edit = (before: MessageDocument, content: string, at: number) =>
    closeMessage(seal({ ...open(before), content, editedAt: at }, open(before)))
  const second = edit(first, 'the albatross stays', 5)
  const third = edit(second, 'the albatross flies', 6)
  const keep = (arrived: MessageDocument, held: OpenedMessage) =>
    keepLaterWording(open(arrived), { held, findEpoch })
  // Also of one that this device has never seen.
  for (const earlier of [first, second]) {
    const served = { ...earlier, editedAt: 1_000 }
    const kept = keep(served, open(third))
    expect(kept).toMatchObject({ content: 'the albatross flies', editedAt: 1_000 })
    expect(closeMessage(kept)).toEqual(served)
    // It stays so when it is read again, changed, and served once more.
    expect(open(kept)).toEqual(kept)
    const starred = seal({ ...kept, isStarred: true, isStarredAt: 9 }, kept)
    expect(open(starred)).toMatchObject({ content: 'the albatross flies', isStarred: true })
    expect(keep(first, kept).content).toBe('the albatross flies')
    const later = edit(kept, 'the albatross is gone', 2_000)
    expect(keep(later, kept)).toEqual(open(later))
    expect(keep(second, open(later)).content).toBe('the albatross is gone')
  }
  // What is later, is another's edit that knew nothing of it, or was refused counts as it is.
  expect(keep(third, open(second))).toEqual(open(third))
  const apart = edit(first, 'written on another device', 7)
  expect(keep(apart, open(third)).content).toBe('written on another device')
  const refused = { at: 8, code: 'too_long', error: 'Too long', sealed: second.sealed }
  const returned: MessageDocument = { ...first, editedAt: 8, refused }
  expect(keep(returned, open(second))).toMatchObject({
    content: 'the albatross lands',
    refused: { content: 'the albatross stays' },
  })
  const deleted = { ...first, content: '', sealed: undefined, deletedAt: 9 }
  expect(keep(deleted, open(third)).content).toBe('')
})

test('P13: of many edits none is forgotten', () => {
  const wordings = [closeMessage(seal(written()))]
  for (let at = 1; at < 60; at += 1) {
    const before = open(must(wordings.at(-1), 'a wording'))
    const next = { ...before, content: `wording ${at}`, editedAt: at }
    wordings.push(closeMessage(seal(next, before)))
  }
  const held = open(must(wordings.at(-1), 'the last'))
  for (const earlier of wordings.slice(0, -1)) {
    const served = { ...earlier, editedAt: 1_000 }
    expect(keepLaterWording(open(served), { held, findEpoch }).content).toBe('wording 59')
  }
  expect(held.sealed?.length).toBeLessThan(900)
})

test('the reader seals their own reaction alone, and nobody seals what others wrote', () => {
  const plain = asRead(written())
  const reacted = { ...plain, reactions: { [ben]: { emoji: '👍', at: 2 } } }
  const sealed = seal(reacted, plain, ben)
  expect(sealed.sealed).toBeUndefined()
  expect(sealed.reactions?.[ben]?.sealed).toMatch(/^1\./)
  const removed = { ...sealed, reactions: { [ben]: { emoji: '', at: 3 } } }
  expect(seal(removed, sealed, ben).reactions?.[ben]).toEqual({ emoji: '', at: 3 })
})

test('former keys of either side open, and the newest seal', () => {
  const renewed = keysOf(4, 2)
  const bens = [publishKeys(renewed, ben), publishKeys(bensKeys, ben)]
  const keys = createConversationKeys({ listOwn: () => [annsKeys], listPeer: () => bens })
  expect(keys.findCurrent(ben)?.id).toBe(
    nameEpoch(annsKeys.agreement.publicKey, renewed.agreement.publicKey),
  )
  expect(keys.find(ben, epoch.id)).toEqual(epoch)
  expect(keys.find(ben, 'unknown')).toBeUndefined()
  const own = keysOf(5, 2)
  const both = createConversationKeys({ listOwn: () => [own, annsKeys], listPeer: () => bens })
  expect(both.findCurrent(ben)?.id).toBe(
    nameEpoch(own.agreement.publicKey, renewed.agreement.publicKey),
  )
  expect(both.find(ben, epoch.id)).toEqual(epoch)
  const forged = { ...publishKeys(bensKeys, ann), number: 9 }
  const wary = createConversationKeys({ listOwn: () => [annsKeys], listPeer: () => [forged] })
  expect(wary.findCurrent(ben)).toBeUndefined()
  expect(wary.find(ben, epoch.id)).toBeUndefined()
  const without = createConversationKeys({ listOwn: () => [], listPeer: () => bens })
  expect(without.findCurrent(ben)).toBeUndefined()
})

test('P13: who is named in the words is sealed with them, and what stands beside counts for nothing', () => {
  const mentions = [{ userId: ben, name: 'Noa Levi' }]
  const message = seal(written({ content: 'hello @Noa Levi', mentions, mentionedIds: [ben] }))
  const closed = closeMessage(message)
  expect(JSON.stringify(closed)).not.toContain('Noa')
  expect(closed).not.toHaveProperty('mentions')
  expect(open(closed)).toEqual(message)
  const forged = { ...closed, mentions: [{ userId: ann, name: 'Noa Levi' }] }
  expect(open(forged).mentions).toEqual(mentions)
  // The same text that names nobody is another wording.
  const { mentions: _, ...plain } = message
  const edited = seal({ ...plain, editedAt: 5 }, message)
  expect(edited.sealed).not.toBe(message.sealed)
  expect(open(closeMessage(edited))).not.toHaveProperty('mentions')
})

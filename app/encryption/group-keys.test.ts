import { randomBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { describe, expect, test } from 'vitest'
import type { PublicKeys } from '../../schema/encryption/account-keys.ts'
import sealedValues from '../../schema/encryption/sealed-values.json' with { type: 'json' }
import { type GroupEpoch, groupEpoch, groupEpochFormat } from '../../schema/group-epoch.ts'
import { must } from '../../schema/helpers/assertions.ts'
import { ann, ben } from '../database/testing/open-test-database.ts'
import { testMessage } from '../database/testing/test-message.ts'
import { type AccountKeys, createSeed, deriveAccountKeys, publishKeys } from './account-keys.ts'
import { fromBase64Url } from './base64-url.ts'
import { createConversationKeys } from './conversation-keys.ts'
import { createGroupKeys, type EpochMessage } from './group-keys.ts'
import { openBytes, openMessage, sealBytes, sealMessage } from './sealed-message.ts'

const cem = '01900000-0000-7000-8000-00000000000c'
const walks = '01900000-0000-7000-8000-0000000000a1'
const choir = '01900000-0000-7000-8000-0000000000a2'

/** People, their public keys, and who is in each group, as every device believes. */
function openPeople(userIds: readonly string[]) {
  const published = new Map<string, PublicKeys[]>()
  /** Keys with which nothing can be agreed. */
  const barren = new Set<string>()
  const members = new Map<string, string[]>([
    [walks, [...userIds]],
    [choir, [...userIds]],
  ])
  /** From which place who reads, if not from the beginning. */
  const since = new Map<string, number>()
  const devices = new Map(
    userIds.map((userId) => {
      const own: AccountKeys[] = []
      const pairs = createConversationKeys({
        listOwn: () => own,
        listPeer: (peerId) => published.get(peerId) ?? [],
      })
      const keys = createGroupKeys({
        userId,
        listOwn: () => own,
        pairs: {
          ...pairs,
          agree(one, other) {
            if (barren.has(other.agreement)) throw new Error('nothing to agree on')
            return pairs.agree(one, other)
          },
        },
        listMembers: (groupId) => members.get(groupId),
        readsFrom: (_, memberId) => since.get(memberId) ?? 0,
      })
      return [userId, { own, keys, pairs }] as const
    }),
  )
  function giveKeys(userId: string) {
    const { own } = must(devices.get(userId), 'a device')
    const next = deriveAccountKeys({ seed: createSeed(), number: own.length + 1 })
    own.unshift(next)
    published.set(userId, [publishKeys(next, userId), ...(published.get(userId) ?? [])])
  }
  for (const userId of userIds) giveKeys(userId)
  /** What two of them share, by which one gives secrets to the other. */
  function pairOf(makerId: string, ownerId: string) {
    const { own, pairs } = must(devices.get(makerId), 'a device')
    const peer = must(published.get(ownerId)?.[0], 'keys')
    return must(pairs.agree(must(own[0], 'own keys'), peer), 'a secret of two')
  }
  return {
    pairOf,
    members,
    since,
    published,
    giveKeys,
    /** Whatever is sealed for their present keys fails. */
    refuse(userId: string) {
      barren.add(must(published.get(userId)?.[0], 'keys').agreement)
    },
    of: (userId: string) => must(devices.get(userId), 'a device').keys,
    /** Everybody gets what this person made. */
    spread(senderId: string, epoch: GroupEpoch | undefined, place: number, peerId = walks) {
      const message: EpochMessage = {
        _id: `e${place}`,
        peerId,
        senderId,
        orderedAt: place,
        epoch: must(epoch, 'a secret'),
      }
      for (const { keys } of devices.values()) keys.take([message])
      return message
    },
  }
}

const written = (senderId: string, content: string) =>
  testMessage(1, { senderId, peerId: walks, recipientId: walks, content })

describe('P13: a secret of a group', () => {
  test('opens for each member, and for nobody else', () => {
    const people = openPeople([ann, ben, cem])
    people.members.set(walks, [ann, ben])
    people.spread(ann, people.of(ann).make(walks), 1)
    const [anns, bens] = [ann, ben].map((id) => people.of(id).findCurrent(walks))
    expect(anns?.id).toBe(bens?.id)
    expect(anns?.boxKey).toEqual(bens?.boxKey)
    expect(people.of(cem).find(walks, must(anns, 'a secret').id)).toBeUndefined()
    expect(people.of(cem).findCurrent(walks)).toBeUndefined()
  })

  test('is the newest that exactly the present members have, with the keys that they have now', () => {
    const people = openPeople([ann, ben, cem])
    people.spread(ann, people.of(ann).make(walks), 1)
    const newest = must(people.of(ben).make(walks), 'a secret')
    people.spread(ben, newest, 2)
    const second = must(people.of(cem).findCurrent(walks), 'a secret')
    expect(second.id).toBe(newest.name)
    expect(people.of(ann).findCurrent(walks)?.id).toBe(second.id)
    people.members.set(walks, [ann, ben])
    expect(people.of(ann).findCurrent(walks)).toBeUndefined()
    people.spread(ann, people.of(ann).make(walks), 3)
    expect(people.of(ben).findCurrent(walks)).toBeDefined()
    people.members.set(walks, [ann, ben, cem])
    expect(people.of(ann).findCurrent(walks)?.id).toBe(second.id)
    people.giveKeys(ben)
    expect(people.of(ann).findCurrent(walks)).toBeUndefined()
    // What was sealed before opens all the same.
    expect(people.of(ben).find(walks, second.id)).toBeDefined()
    people.spread(cem, people.of(cem).make(walks), 4)
    expect(people.of(ben).findCurrent(walks)?.id).toBe(people.of(ann).findCurrent(walks)?.id)
  })

  test('is given to who comes, and counts for them from then on', () => {
    const people = openPeople([ann, ben, cem])
    people.members.set(walks, [ann, ben])
    people.spread(ann, people.of(ann).make(walks), 1)
    const first = must(people.of(ann).findCurrent(walks), 'a secret')
    people.members.set(walks, [ann, ben, cem])
    expect(people.of(cem).findCurrent(walks)).toBeUndefined()
    const given = people.of(ben).give(walks, [cem])
    expect(Object.keys(given?.boxes ?? {})).toEqual([cem])
    people.spread(ben, given, 2)
    for (const id of [ann, ben, cem]) expect(people.of(id).findCurrent(walks)?.id).toBe(first.id)
    expect(people.of(ann).give(walks, [cem])).toBeUndefined()
  })

  test('is given again to who was out of the group when it was sealed for them', () => {
    const people = openPeople([ann, ben, cem])
    people.spread(ben, people.of(ben).make(walks), 5)
    const { id } = must(people.of(ann).findCurrent(walks), 'a secret')
    // Cem was removed before its place, and has come back behind it.
    people.since.set(cem, 9)
    expect(people.of(ann).listWithout(walks, id, [ben, cem])).toEqual([cem])
    const given = people.of(ann).give(walks, [ben, cem], id)
    expect(Object.keys(given?.boxes ?? {})).toEqual([cem])
    people.spread(ann, given, 10)
    expect(people.of(ann).listWithout(walks, id, [ben, cem])).toEqual([])
    expect(people.of(ann).give(walks, [cem], id)).toBeUndefined()
  })

  test('cannot be made while somebody has no keys', () => {
    const people = openPeople([ann, ben])
    people.published.delete(ben)
    expect(people.of(ann).make(walks)).toBeUndefined()
    expect(people.of(ann).listKeyless(walks)).toEqual([ben])
  })

  test('is made for the others where nothing can be agreed on with one of them', () => {
    const people = openPeople([ann, ben, cem])
    people.refuse(cem)
    const annKeys = people.of(ann)
    const epoch = must(annKeys.make(walks), 'a secret')
    expect(Object.keys(epoch.boxes)).toEqual([ann, ben])
    people.spread(ann, epoch, 1)
    expect(annKeys.findCurrent(walks)?.id).toBe(epoch.name)
    expect(people.of(ben).findCurrent(walks)?.id).toBe(epoch.name)
    expect(annKeys.give(walks, [cem])).toBeUndefined()
    // Once it can, they are to have one, too.
    people.giveKeys(cem)
    expect(annKeys.findCurrent(walks)).toBeUndefined()
    expect(Object.keys(must(annKeys.make(walks), 'a secret').boxes)).toEqual([ann, ben, cem])
  })

  test('cannot be made while somebody has keys that nothing can be sealed for: they count as none', () => {
    const people = openPeople([ann, ben])
    const weak = deriveAccountKeys({ seed: createSeed(), number: 2 })
    weak.agreement.publicKey = new Uint8Array(32)
    people.published.set(ben, [publishKeys(weak, ben)])
    expect(people.of(ann).listKeyless(walks)).toEqual([ben])
    expect(people.of(ann).make(walks)).toBeUndefined()
  })

  test('of another name, group or maker opens nothing, and hides nothing that is right', () => {
    const people = openPeople([ann, ben, cem])
    const right = must(people.of(ann).make(walks), 'a secret')
    const wrong = must(people.of(cem).make(walks), 'a secret')
    // Cem gives another secret away under the name of Ann's.
    people.spread(cem, { ...wrong, name: right.name }, 1)
    people.spread(ann, right, 2)
    expect(people.of(ben).find(walks, right.name)?.id).toBe(right.name)
    expect(people.of(ben).find(choir, right.name)).toBeUndefined()
    // As if Ann had made it, and in another group.
    const other = must(people.of(cem).make(walks), 'a secret')
    people.spread(ann, other, 3)
    expect(people.of(ben).find(walks, other.name)).toBeUndefined()
    const moved = must(people.of(ann).make(walks), 'a secret')
    people.spread(ann, moved, 4, choir)
    expect(people.of(ben).find(choir, moved.name)).toBeUndefined()
  })

  test('of which a member gave junk to a newcomer opens by any right box, and no longer than until they write', () => {
    const people = openPeople([ann, ben, cem])
    people.members.set(walks, [ann, ben])
    const epoch = must(people.of(ann).make(walks), 'a secret')
    people.spread(ann, epoch, 1)
    people.members.set(walks, [ann, ben, cem])
    const right = must(people.of(ann).give(walks, [cem]), 'a box')
    // Of the right two people, and with nothing of the secret in it.
    const pair = people.pairOf(ben, cem)
    const junk = sealBytes(randomBytes(32), { context: utf8ToBytes('junk'), epoch: pair })
    people.spread(ben, { ...right, boxes: { [cem]: junk } }, 2)
    expect(people.of(cem).find(walks, epoch.name)).toBeUndefined()
    // Others believe that it was given, and write with it: who cannot read it makes another for all.
    expect(people.of(ann).findCurrent(walks)?.id).toBe(epoch.name)
    expect(people.of(cem).findCurrent(walks)).toBeUndefined()
    const next = must(people.of(cem).make(walks), 'a secret')
    people.spread(cem, next, 3)
    for (const member of [ann, ben, cem]) {
      expect(people.of(member).findCurrent(walks)?.id).toBe(next.name)
    }
    // A right box opens whatever stands before it.
    people.spread(ann, right, 4)
    expect(people.of(cem).find(walks, epoch.name)).toBeDefined()
  })

  test('that its maker seals for the right place, under the name of another, opens nothing', () => {
    const people = openPeople([ann, ben, cem])
    const right = must(people.of(cem).make(walks), 'a secret')
    const place = ['petrel group secret', groupEpochFormat, walks, right.name, cem, ben]
    const sealing = { context: utf8ToBytes(place.join('\n')), epoch: people.pairOf(cem, ben) }
    const secret = openBytes(must(right.boxes[ben], 'a box'), sealing)
    const other = randomBytes(secret.length)
    people.spread(cem, { ...right, boxes: { [ben]: sealBytes(other, sealing) } }, 1)
    expect(people.of(ben).find(walks, right.name)).toBeUndefined()
    people.spread(cem, { ...right, boxes: { [ben]: sealBytes(secret, sealing) } }, 2)
    expect(people.of(ben).find(walks, right.name)?.boxKey).toBeDefined()
  })

  test('that somebody names in another group changes nothing in its own', () => {
    const people = openPeople([ann, ben])
    const right = must(people.of(ann).make(walks), 'a secret')
    const elsewhere = { ...right, boxes: { [cem]: must(right.boxes[ben], 'a box') } }
    people.spread(ben, elsewhere, 1, choir)
    people.spread(ann, right, 2)
    people.spread(ben, elsewhere, 3, choir)
    for (const id of [ann, ben]) expect(people.of(id).findCurrent(walks)?.id).toBe(right.name)
  })

  test('that the group refused is written with by nobody, until it gets there', () => {
    const people = openPeople([ann, ben])
    const keys = people.of(ann)
    const epoch = must(keys.make(walks), 'a secret')
    const message = { _id: 'e1', peerId: walks, senderId: ann, orderedAt: 1, epoch }
    keys.take([{ ...message, status: 'sending' }])
    expect(keys.findCurrent(walks)?.id).toBe(epoch.name)
    keys.take([{ ...message, status: 'failed' }])
    expect(keys.findCurrent(walks)).toBeUndefined()
    expect(keys.give(walks, [ben])).toBeUndefined()
    // What was sealed with it here opens all the same.
    expect(keys.find(walks, epoch.name)).toBeDefined()
    keys.take([{ ...message, status: 'sent' }])
    expect(keys.findCurrent(walks)?.id).toBe(epoch.name)
  })

  test('of a later format is left to an app that knows it', () => {
    const people = openPeople([ann, ben])
    const now = must(people.of(ann).make(walks), 'a secret')
    people.spread(ann, now, 1)
    const later = { ...must(people.of(ann).make(walks), 'a secret'), v: groupEpochFormat + 1 }
    people.spread(ann, later, 2)
    expect(people.of(ben).find(walks, later.name)).toBeUndefined()
    expect(people.of(ben).findCurrent(walks)?.id).toBe(now.name)
  })
})

describe('P13: words in a group', () => {
  function sealBy(people: ReturnType<typeof openPeople>, userId: string, content: string) {
    const keys = people.of(userId)
    return sealMessage(written(userId, content), {
      before: undefined,
      userId,
      epoch: keys.findCurrent(walks),
      findEpoch: keys.find,
    })
  }

  test('open for members as their author’s, sealed twice the same', () => {
    const people = openPeople([ann, ben, cem])
    people.spread(ann, people.of(ann).make(walks), 1)
    const sealed = sealBy(people, ann, 'hello')
    expect(sealBy(people, ann, 'hello').sealed).toBe(sealed.sealed)
    const opened = openMessage({ ...sealed, content: '' }, people.of(ben).find)
    expect(opened).toMatchObject({ content: 'hello' })
    expect(opened.locked).toBeUndefined()
  })

  test('of one member cannot be forged by another, who has the same secret', () => {
    const people = openPeople([ann, ben, cem])
    people.spread(ann, people.of(ann).make(walks), 1)
    // Cem seals in Ann's place, with all that Cem has.
    const { find, findCurrent } = people.of(cem)
    const forged = sealMessage(written(ann, 'I leave you'), {
      before: undefined,
      userId: ann,
      epoch: findCurrent(walks),
      findEpoch: find,
    })
    const opened = openMessage({ ...forged, content: '' }, people.of(ben).find)
    expect(opened).toMatchObject({ content: '', locked: 'broken' })
  })

  test('that their author signed for one message count in no other', () => {
    const people = openPeople([ann, ben])
    people.spread(ann, people.of(ann).make(walks), 1)
    const epoch = must(people.of(ann).findCurrent(walks), 'a secret')
    const { sign, check } = must(epoch.authors, 'authors')
    const signed = { last: '' }
    function seal(message: ReturnType<typeof written>, signs: (text: Uint8Array) => string) {
      const authors = { check, sign: signs }
      return sealMessage(message, {
        before: undefined,
        userId: ann,
        epoch: { ...epoch, authors },
        findEpoch: people.of(ann).find,
      })
    }
    const sealed = seal(written(ann, 'yes'), (text) => {
      signed.last = sign(text)
      return signed.last
    })
    expect(openMessage({ ...sealed, content: '' }, people.of(ben).find).content).toBe('yes')
    const other = { ...written(ann, 'yes'), _id: testMessage(2)._id }
    const moved = seal(other, () => signed.last)
    expect(openMessage({ ...moved, content: '' }, people.of(ben).find).locked).toBe('broken')
  })

  test('wait for the keys of an author that nobody has read yet', () => {
    const people = openPeople([ann, ben, cem])
    people.spread(ann, people.of(ann).make(walks), 1)
    const sealed = sealBy(people, cem, 'hello')
    const keys = must(people.published.get(cem), 'keys')
    people.published.delete(cem)
    expect(openMessage({ ...sealed, content: '' }, people.of(ben).find).locked).toBe('key')
    people.published.set(cem, keys)
    expect(openMessage({ ...sealed, content: '' }, people.of(ben).find).content).toBe('hello')
  })

  test('with a signature of rubbish are broken', () => {
    const people = openPeople([ann, ben])
    people.spread(ann, people.of(ann).make(walks), 1)
    const epoch = must(people.of(ann).findCurrent(walks), 'a secret')
    for (const signature of ['', 'rubbish', Buffer.from(randomBytes(64)).toString('base64url')]) {
      const authors = { ...must(epoch.authors, 'authors'), sign: () => signature }
      const sealed = sealMessage(written(ann, 'hello'), {
        before: undefined,
        userId: ann,
        epoch: { ...epoch, authors },
        findEpoch: people.of(ann).find,
      })
      expect(openMessage({ ...sealed, content: '' }, people.of(ben).find).locked).toBe('broken')
    }
  })
})

test('P13: what a group of this version sealed opens for ever, and is sealed the same', () => {
  const { people, group, messageId: _id } = sealedValues
  const [anns, bens] = [people.ann, people.ben].map(({ seed }) =>
    deriveAccountKeys({ seed: fromBase64Url(seed), number: 1 }),
  )
  const published = new Map([
    [people.ann.id, [publishKeys(must(anns, 'keys'), people.ann.id)]],
    [people.ben.id, [publishKeys(must(bens, 'keys'), people.ben.id)]],
  ])
  const [forAnn, forBen] = [[people.ann.id, anns] as const, [people.ben.id, bens] as const].map(
    ([userId, own]) => {
      const listOwn = () => [must(own, 'keys')]
      const listPeer = (id: string) => published.get(id) ?? []
      const keys = createGroupKeys({
        userId,
        listOwn,
        pairs: createConversationKeys({ listOwn, listPeer }),
        listMembers: () => [people.ann.id, people.ben.id],
        readsFrom: () => 0,
      })
      const made = { _id: 'e', peerId: group.id, senderId: people.ann.id, orderedAt: 1 }
      keys.take([{ ...made, epoch: groupEpoch.parse(group.epoch) }])
      return keys
    },
  )
  const message = testMessage(1, {
    _id,
    peerId: group.id,
    recipientId: group.id,
    senderId: people.ann.id,
  })
  const sealed = sealMessage(
    { ...message, content: group.words },
    {
      before: undefined,
      userId: people.ann.id,
      epoch: forAnn?.findCurrent(group.id),
      findEpoch: must(forAnn, 'keys').find,
    },
  )
  expect(sealed.sealed).toBe(group.sealed)
  const arrived = { ...message, content: '', sealed: group.sealed }
  expect(openMessage(arrived, must(forBen, 'keys').find).content).toBe(group.words)
})

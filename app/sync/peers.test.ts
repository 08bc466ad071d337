import { expect, test } from 'vitest'
import { openKnownGroups } from '../database/storage/known-groups.ts'
import { type KnownPerson, nameOf } from '../database/storage/known-peer.ts'
import { ben, openTestDatabase } from '../database/testing/open-test-database.ts'
import { testGroup, testUser } from '../database/testing/test-user.ts'
import { createLiveValue } from '../database/views/live-value.ts'
import { createPeers } from './people.ts'

test('whoever a conversation is with is a person until a group of that id is known', async () => {
  const { database } = await openTestDatabase()
  const groups = await openKnownGroups(database.device.groups)
  const person = createLiveValue<KnownPerson | undefined>(undefined)
  const peers = createPeers({
    people: { get: () => person },
    groups: {
      get: (id) => ({
        getSnapshot: () => groups.get(id),
        subscribe: (listener) => groups.onChange(listener),
      }),
    },
  })
  const peer = peers.get(ben)
  expect(peers.get(ben)).toBe(peer)
  const heard: string[] = []
  const end = peer.subscribe(() => heard.push(nameOf(peer.getSnapshot())))

  person.set(testUser())
  await groups.take([testGroup()])
  person.set(testUser({ username: 'Deleted user' }))
  expect(heard).toEqual(['Ben', 'Walks', 'Walks'])
  end()
  await groups.take([testGroup({ name: 'Choir' })])
  expect(heard).toHaveLength(3)
  groups.close()
})

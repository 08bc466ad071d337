import type { PublicUser } from '../../../schema/user.ts'
import { findGroupObstacle, type KnownPeer, nameOf, pictureOf } from '../storage/known-peer.ts'
import type { ConversationRow } from '../views/conversation-row.ts'
import { foldText } from './fold-text.ts'

/** A person or a group as a list of recipients draws it. */
interface Recipient {
  _id: string
  name: string
  picture: string | undefined
  isGroup: boolean
}

/**
 * Possible recipients: chats, newest first, then everyone else the device knows. Omits deleted
 * accounts, the people the sender blocks, and groups that take nothing from them.
 * @param name - a part of the name; empty matches everyone
 */
export function findRecipients({
  rows,
  everybody,
  blocked,
  name,
  ownId,
}: {
  rows: readonly ConversationRow[]
  everybody: readonly PublicUser[]
  blocked: readonly string[]
  name: string
  ownId: string
}): Recipient[] {
  const talkedWith = rows.flatMap(({ peer }) => (peer && mayWriteTo(peer, ownId) ? [peer] : []))
  const known = new Set(talkedWith.map(({ _id }) => _id))
  const wanted = foldText(name.trim())
  const all: KnownPeer[] = [...talkedWith, ...everybody.filter((person) => !known.has(person._id))]
  return all
    .filter((peer) => foldText(nameOf(peer)).includes(wanted) && !blocked.includes(peer._id))
    .map((peer) => ({
      _id: peer._id,
      name: nameOf(peer),
      picture: pictureOf(peer),
      isGroup: peer.isGroup === true,
    }))
}

function mayWriteTo(peer: KnownPeer, ownId: string): boolean {
  return peer.isGroup ? findGroupObstacle(peer, ownId) === undefined : !peer.isDeleted
}

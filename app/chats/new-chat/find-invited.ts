import { normalizeText } from '../../../schema/helpers/normalize-text.ts'
import { idPattern } from '../../../schema/id.ts'
import type { OwnUser, PublicUser } from '../../../schema/user.ts'
import { ApiError } from '../../api/api-error.ts'
import type { PeopleDirectory } from '../../sync/messenger-types.ts'

export type Invited = { kind: 'found'; userId: string } | { kind: 'yourself' } | { kind: 'unknown' }

const fold = (name: string) => normalizeText(name, 'NFKC').trim().toLowerCase()

/**
 * The person of an invite link: by id, which survives a change of name, or by the whole name.
 * @throws ApiError when the server cannot be asked about somebody unknown to the device
 */
export async function findInvited(options: {
  users: Pick<PeopleDirectory, 'list' | 'load' | 'search'>
  self: Pick<OwnUser, '_id' | 'username'>
  to: string
}): Promise<Invited> {
  const { users, self, to } = options
  const name = fold(to)
  if (name === self._id || name === fold(self.username)) return { kind: 'yourself' }
  const fits = (person: PublicUser) => person._id === name || fold(person.username) === name
  const known = users.list().getSnapshot().find(fits)
  if (known) return { kind: 'found', userId: known._id }
  const found = idPattern.test(name) ? await load(users, name) : (await users.search(to)).find(fits)
  return found ? { kind: 'found', userId: found._id } : { kind: 'unknown' }
}

async function load(users: Pick<PeopleDirectory, 'load'>, userId: string) {
  try {
    return await users.load(userId)
  } catch (cause) {
    if (cause instanceof ApiError && cause.status === 404) return undefined
    throw cause
  }
}

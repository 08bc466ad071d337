import { describeDeletedUser } from '../../../schema/deleted-user.ts'
import type { OwnUser, PublicUser } from '../../../schema/user.ts'
import type { AccountDocument } from '../../access/account-documents.ts'
import type { Accounts } from '../../access/create-accounts.ts'
import type { Directory } from '../../access/create-directory.ts'
import { presentOwnUser, presentUser } from '../../access/present-user.ts'
import type { Presence } from '../../realtime/create-presence.ts'

export type UserPresenter = ReturnType<typeof createUserPresenter>

/** Shows people to people: with their presence, where the viewer may see it. */
export function createUserPresenter(options: {
  accounts: Accounts
  presence: Presence
  directory: Directory
}) {
  const { accounts, presence, directory } = options

  /** In the order given. */
  async function presentAll(
    viewerId: string,
    people: readonly AccountDocument[],
  ): Promise<PublicUser[]> {
    const userIds = people.map(({ userId }) => userId)
    const [visible, lastSeen] = await Promise.all([
      directory.filterVisible(viewerId, userIds),
      accounts.readLastSeen(userIds),
    ])
    const seen = new Set(visible)
    return people.map((account) =>
      seen.has(account.userId)
        ? presentUser(account, {
            isOnline: presence.isOnline(account.userId),
            lastSeen: lastSeen.get(account.userId),
          })
        : presentUser(account, { isOnline: false }),
    )
  }

  return {
    presentAll,
    presentDeparted: describeDeletedUser,
    async presentOne(viewerId: string, account: AccountDocument): Promise<PublicUser> {
      const [user] = await presentAll(viewerId, [account])
      return user ?? presentUser(account, { isOnline: false })
    },
    async presentOwn(account: AccountDocument): Promise<OwnUser> {
      const { userId } = account
      const lastSeen = (await accounts.readLastSeen([userId])).get(userId)
      return presentOwnUser(account, { isOnline: presence.isOnline(userId), lastSeen })
    },
  }
}

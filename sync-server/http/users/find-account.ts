import { idPattern } from '../../../schema/id.ts'
import type { AccountDocument } from '../../access/account-documents.ts'
import type { Accounts } from '../../access/accounts.ts'
import { RequestRefused } from '../core/request-refused.ts'

/** @throws RequestRefused `user_not_found`, also for an invalid id */
export async function findAccount(accounts: Accounts, userId: string): Promise<AccountDocument> {
  const account = idPattern.test(userId) ? await accounts.find(userId) : undefined
  if (!account) throw new RequestRefused('user_not_found')
  return account
}

import { idPattern } from '../../../schema/id.ts'
import type { AccountDocument } from '../../access/account-documents.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { AccountChange } from '../../access/change-account.ts'
import { RequestRefused } from '../core/request-refused.ts'

const codes = {
  username: 'username_taken',
  lookalike: 'username_taken',
  email: 'email_taken',
  phone: 'whatsapp_taken',
  whatsapp: 'whatsapp_taken',
  number: 'number_taken',
  'former number': 'number_not_permitted',
} as const

/** @throws RequestRefused `user_not_found`, also for an invalid id */
export async function findAccount(accounts: Accounts, userId: string): Promise<AccountDocument> {
  const account = idPattern.test(userId) ? await accounts.find(userId) : undefined
  if (!account) throw new RequestRefused('user_not_found')
  return account
}

/** The refusal for an account change that did not happen. */
export function refuseTaken(outcome: Exclude<AccountChange, { kind: 'done' }>): RequestRefused {
  if (outcome.kind === 'overtaken') return new RequestRefused('account_changed')
  return new RequestRefused(outcome.kind === 'taken' ? codes[outcome.field] : 'user_not_found')
}

import type { AccountChange } from '../../access/change-account.ts'
import { RequestRefused } from '../core/request-refused.ts'

const codes = {
  username: 'username_taken',
  lookalike: 'username_taken',
  email: 'email_taken',
  phone: 'whatsapp_taken',
  whatsapp: 'whatsapp_taken',
  number: 'number_taken',
} as const

/** The refusal for an account change that did not happen. */
export function refuseTaken(outcome: Exclude<AccountChange, { kind: 'done' }>): RequestRefused {
  return new RequestRefused(outcome.kind === 'taken' ? codes[outcome.field] : 'user_not_found')
}

import { forgottenPassword, forgottenPasswordNoted } from '../../../schema/api/auth.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import type { PasswordResets } from '../../access/password-resets.ts'
import type { Mailer } from '../../admin/mailer.ts'
import { RequestRefused, refuseTooEarly } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'

const hourMs = 60 * 60 * 1000
const askedPerAddress = { max: 20, windowMs: hourMs }
/** A stranger who asks in somebody's name ends the link before: not often enough to lock them out. */
const mailsPerPerson = { max: 3, windowMs: hourMs }

/**
 * A link for a forgotten password, by mail. The answer is the same, and as fast, whether there is
 * an account or not.
 * @param mailer undefined where no mail can be sent: then there is nothing at this address
 */
export function createForgottenPasswordRoute(options: {
  mailer: Mailer | undefined
  accounts: Accounts
  resets: PasswordResets
  limitAttempts: LimitAttempts
  /** What links begin with. */
  url: string
  onError: (error: unknown) => void
}): Route {
  const { mailer, accounts, resets, limitAttempts, url, onError } = options
  const asked = limitAttempts('asking for a new password', askedPerAddress)
  const mailed = limitAttempts('mails with a new password', mailsPerPerson)

  async function sendLink(email: string) {
    const account = await accounts.findBySignInName(email)
    if (!mailer || account?.email.toLowerCase() !== email.toLowerCase()) return
    // The account of announcements has no mailbox.
    if (email.endsWith('.invalid') || mailed.secondsToWait(account.userId) > 0) return
    mailed.count(account.userId)
    const made = await resets.create(account.userId)
    if (!made) return
    mailer.send({
      to: account.email,
      subject: 'A new password for Petrel',
      text: `Hello ${account.username},

somebody, we hope you, asked for a new password for your account. This link sets one:

${url}/reset#${made.token}

It works once, for 30 minutes, and signs out every device. If it wasn't you, do nothing: your password stays as it is.
`,
    })
  }

  return defineRoute({
    method: 'post',
    path: '/auth/forgotten-password',
    access: 'anyone',
    summary: 'Mails a link that sets a new password, if an account has this address.',
    body: forgottenPassword,
    status: 200,
    answer: forgottenPasswordNoted,
    errors: ['too_many_attempts', 'not_found'],
    async handle({ body: { email }, address }) {
      if (!mailer) throw new RequestRefused('not_found')
      refuseTooEarly(asked.secondsToWait(address), 'too_many_attempts')
      asked.count(address)
      // Not waited for: its time would tell whether there is an account.
      sendLink(email.trim()).catch(onError)
      return { isNoted: true as const }
    },
  })
}

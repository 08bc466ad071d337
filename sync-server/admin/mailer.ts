import { createTransport } from 'nodemailer'
import pLimit from 'p-limit'

const atOnce = 2
/** Beyond it a mail is dropped, with a line in the log: each person can ask again. */
const waitingMax = 200
const timeoutMs = 20_000

export interface Mail {
  to: string
  subject: string
  text: string
}
export type Mailer = ReturnType<typeof createMailer>

/**
 * Sends mail by the operator's server, beside whatever asked for it.
 * @param url `smtps://…`, or `smtp://…`, which has to encrypt (STARTTLS) unless it is on this machine
 */
export function createMailer(options: {
  url: string
  from: string
  onError: (error: unknown) => void
}) {
  const { url, from, onError } = options
  const { protocol, hostname } = new URL(url)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const transport = createTransport(
    {
      url,
      requireTLS: protocol === 'smtp:' && !isHere,
      ignoreTLS: protocol === 'smtp:' && isHere,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    },
    { from },
  )
  const queue = pLimit(atOnce)

  return {
    /** Never waits for the mail server, which would tell by its time that there was a mail to send. */
    send(mail: Mail): void {
      if (queue.pendingCount >= waitingMax) {
        onError(new Error('A mail was dropped: too many wait for the mail server.'))
        return
      }
      queue(() => transport.sendMail(mail)).catch((cause: unknown) => {
        // The address is a person's: the log has none.
        onError(
          new Error('A mail was not taken by the mail server.', { cause: withoutAddress(cause) }),
        )
      })
    },
    close() {
      queue.clearQueue()
      transport.close()
    },
  }
}

function withoutAddress(cause: unknown): string {
  const { code, responseCode } = Object(cause) as { code?: unknown; responseCode?: unknown }
  return [code, responseCode].filter((part) => part !== undefined).join(' ')
}

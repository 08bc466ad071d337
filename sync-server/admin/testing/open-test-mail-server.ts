import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail as it arrived: who gets it, and its whole text with headers. */
interface ReceivedMail {
  to: string
  text: string
}

/** For tests: a real mail server on this machine, which keeps what it is given. */
export async function openTestMailServer() {
  const mails: ReceivedMail[] = []
  const waiting = new Set<() => void>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = Buffer.concat(chunks.map((chunk) => new Uint8Array(chunk))).toString('utf8')
        for (const { address } of session.envelope.rcptTo) {
          mails.push({ to: address, text: decode(text) })
        }
        for (const look of waiting) look()
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    /** The first mail to this address, now or later. */
    receive: (to: string) =>
      new Promise<ReceivedMail>((resolve) => {
        const look = () => {
          const found = mails.find((mail) => mail.to === to)
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** Quoted-printable, as long lines travel. */
function decode(text: string): string {
  return text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

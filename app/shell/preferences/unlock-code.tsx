import { useState } from 'react'
import type { SignedIn } from '../../../schema/api/auth.ts'
import { LinkingCode } from '../../auth/linking-code.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import styles from './unlock-code.module.css'

/**
 * A code by which another device of the person hands its keys to this one, as when a device is
 * linked. The sign-in that comes along is ended: this device has one.
 */
export function UnlockCode() {
  const { linking, endSignIn } = useServices()
  const messenger = useMessenger()
  const [problem, setProblem] = useState<string>()
  const [tries, setTries] = useState(0)

  async function take({ token, user }: SignedIn) {
    // Without an answer it stands among the signed-in devices, where it can be ended.
    await endSignIn({ token, userId: user._id }).catch(() => undefined)
    if (user._id !== messenger.userId) {
      setProblem(`That device is signed in as ${user.username}. Use one of yours.`)
    } else if ((await messenger.readKeyNumber()) === user.keys?.number) {
      return
    } else {
      setProblem("That device doesn't have your keys either. Use one that shows your messages.")
    }
    setTries((before) => before + 1)
  }

  return (
    <>
      <p className={styles.problem} role="alert">
        {problem}
      </p>
      <LinkingCode
        key={tries}
        calls={linking}
        label="QR code that unlocks your messages on this device"
        keepSignedIn={false}
        onSignedIn={(session) => void take(session)}
        endSignIn={endSignIn}
      />
    </>
  )
}

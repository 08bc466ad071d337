import { type ReactNode, useEffect, useState } from 'react'
import type { SignedIn } from '../../schema/api/auth.ts'
import { unreachable } from '../../schema/helpers/assertions.ts'
import type { LinkingCalls } from '../api/linking-calls.ts'
import { Button } from '../ui/buttons/button.tsx'
import { QrCode } from '../ui/codes/qr-code.tsx'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import type { IconName } from '../ui/icons/icon-paths.ts'
import { productName } from '../ui/product.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { copyText } from '../ui/text/copy-text.ts'
import {
  canMakeKeys,
  createDeviceLinking,
  type DeviceLinking,
  type LinkingState,
  type PageSight,
} from './device-linking.ts'
import styles from './linking-code.module.css'
import form from './styles/form.module.css'

export interface LinkingCodeProps {
  calls: LinkingCalls
  /** What the code is for, to screen readers. */
  label?: string
  /** As chosen when the sign-in is confirmed. */
  keepSignedIn: boolean
  onSignedIn(session: SignedIn): void
  /** Ends a sign-in that came when the code was gone. */
  endSignIn(given: { token: string; userId: string }): Promise<void>
}

/** The code that signs this device in once a signed-in device has scanned and confirmed it. */
export function LinkingCode(props: LinkingCodeProps) {
  const {
    calls,
    label = 'QR code that signs you in on this device',
    keepSignedIn,
    onSignedIn,
    endSignIn,
  } = props
  const chosen = useLatest({ keepSignedIn, onSignedIn, endSignIn })
  const [linking, setLinking] = useState<DeviceLinking>()
  useEffect(() => {
    if (!canMakeKeys()) return
    const linking = createDeviceLinking({
      calls,
      page,
      origin: location.origin,
      keepSignedIn: () => chosen.current.keepSignedIn,
      onSignedIn: (session) => chosen.current.onSignedIn(session),
      endSignIn: ({ token, user }) => chosen.current.endSignIn({ token, userId: user._id }),
    })
    setLinking(linking)
    return () => linking.close()
  }, [calls, chosen])
  return (
    <div className={styles.code}>
      {!canMakeKeys() && (
        <Place icon="lock">Signing in by code needs a secure connection (HTTPS).</Place>
      )}
      {canMakeKeys() && !linking && <Making />}
      {linking && <ShownCode linking={linking} label={label} />}
    </div>
  )
}

function Making() {
  return (
    <>
      <Place icon="qr">Making a code…</Place>
      <Below address={undefined} />
    </>
  )
}

function ShownCode({ linking, label }: { linking: DeviceLinking; label: string }) {
  const state = useLiveValue(linking.state)
  const address = state.kind === 'shown' ? state.address : undefined
  return (
    <>
      {address ? (
        <QrCode text={address} label={label} />
      ) : (
        <StateInPlace state={state} linking={linking} />
      )}
      <Below address={address} />
    </>
  )
}

function StateInPlace({ state, linking }: { state: LinkingState; linking: DeviceLinking }) {
  switch (state.kind) {
    case 'making':
    case 'shown':
      return <Place icon="qr">Making a code…</Place>
    case 'scanned':
      return (
        <Place icon="check" action={<Quiet onClick={linking.cancel}>Cancel</Quiet>}>
          <strong>Scanned by {state.username}</strong>
          Confirm on that device to sign in here.
        </Place>
      )
    case 'approved':
      return (
        <Place icon="check">
          <strong>Confirmed by {state.username}</strong>
          Signing in...
        </Place>
      )
    case 'paused':
      return <Place icon="qr">The code is renewed when you look at this page.</Place>
    case 'trouble':
      return <Place icon="cloudOff">{state.words}</Place>
    case 'ended':
      return (
        <Place icon="info" action={<Quiet onClick={linking.again}>Show a new code</Quiet>}>
          {state.words}
        </Place>
      )
    default:
      return unreachable(state)
  }
}

/** Keeps its room without a code, so that nothing moves when there is one. */
function Below({ address }: { address: string | undefined }) {
  return (
    <div className={joinClassNames(styles.below, !address && styles.away)}>
      <p className={styles.note}>
        Scan with {productName} or your phone’s camera. The code changes every two minutes.
      </p>
      <CopyLink text={address ?? ''} />
    </div>
  )
}

interface PlaceProps {
  icon: IconName
  children: ReactNode
  action?: ReactNode
}

/** What stands in the code's place; screen readers announce it. */
function Place({ icon, children, action }: PlaceProps) {
  return (
    <div className={styles.place}>
      <Icon name={icon} size={40} />
      <p className={styles.words} role="status">
        {children}
      </p>
      {action}
    </div>
  )
}

/** For a phone whose camera cannot be used. */
function CopyLink({ text }: { text: string }) {
  const [copied, setCopied] = useState<string>()
  return (
    <button
      type="button"
      className={form.link}
      onClick={() => void copyText(text).then((isCopied) => isCopied && setCopied(text))}
    >
      <span role="status">{copied && copied === text ? 'Link copied' : 'Copy link'}</span>
    </button>
  )
}

function Quiet(props: { onClick(): void; children: ReactNode }) {
  return <Button look="quiet" {...props} />
}

const page: PageSight = {
  isVisible: () => document.visibilityState === 'visible',
  watch(listener) {
    document.addEventListener('visibilitychange', listener)
    addEventListener('online', listener)
    return () => {
      document.removeEventListener('visibilitychange', listener)
      removeEventListener('online', listener)
    }
  },
}

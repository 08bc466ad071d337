import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { type KnownGroup, nameOf, pictureOf } from '../database/storage/known-peer.ts'
import { readSafetyCode, writeSafetyCode } from '../encryption/safety-number.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { isEncrypted } from '../sync/people/encryption-states.ts'
import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { CodeCamera } from '../ui/codes/code-camera.tsx'
import { QrCode } from '../ui/codes/qr-code.tsx'
import { useAttempt } from '../ui/dialogs/lazy-dialogs.tsx'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { useBackLayer } from '../ui/layers/use-back-layer.ts'
import { useEscape } from '../ui/layers/use-escape.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import page from '../ui/styles/chat-page.module.css'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { describePlainChat } from '../ui/text/describe-plain-chat.ts'
import panel from './contact-panel.module.css'
import styles from './encryption-page.module.css'
import { Fact } from './panel-parts.tsx'

interface EncryptionPageProps {
  messenger: Messenger
  peerId: string
  onBack(): void
}

/** How a chat is encrypted: with a person the security code to compare, in a group who has no keys. */
export function EncryptionPage({ messenger, peerId, onBack }: EncryptionPageProps) {
  const peer = useLiveValue(messenger.peers.get(peerId))
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  useEscape(true, onBack)
  return (
    <section className={page.page} aria-label="Encryption">
      <header className={joinClassNames(page.header, panel.header)}>
        <IconButton icon="back" label="Back" onClick={onBack} />
        <h2 ref={heading} tabIndex={-1}>
          Encryption
        </h2>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard, and may hold nothing to stop at */}
      <div className={joinClassNames(panel.body, styles.body)} tabIndex={0}>
        {peer?.isGroup ? (
          <GroupBody messenger={messenger} group={peer} />
        ) : (
          <Body messenger={messenger} peerId={peerId} name={nameOf(peer)} />
        )}
      </div>
    </section>
  )
}

/** What holds in every group, whoever is in it. */
const groupFacts = [
  {
    name: 'When people come and go',
    about:
      "Whoever leaves doesn't get the key of what is written afterwards. New members get messages from when they join, unless the admins let them see earlier ones. Somebody who joins by a link can read once a member's device has given them the key.",
  },
  {
    name: 'What the server still sees',
    about:
      'Who is in the group, its name, picture and description, who writes when and how much, who is mentioned, and what was delivered and read. It also keeps the list of members: whoever runs it could add somebody, who then stands in that list and gets the key.',
  },
  {
    name: "How to be sure who's who",
    about:
      'Compare the security code with each person in your own chat with them: Contact info, then Encryption.',
  },
]

function GroupBody({ messenger, group }: { messenger: Messenger; group: KnownGroup }) {
  const { encryption, users } = messenger
  const state = useLiveValue(encryption.of(group._id))
  const keyless = useLiveValue(encryption.keylessIn(group._id))
  useEffect(() => {
    // They may have keys by now; without a network what the device knows is shown.
    for (const userId of keyless) users.load(userId).catch(() => {})
  }, [users, keyless])
  if (state === 'off') return <NotSetUp />
  if (group.hasLeft) return <Words>You aren't in this group any more.</Words>
  return (
    <>
      <Words icon={isEncrypted(state) ? 'lock' : 'warning'}>
        {isEncrypted(state)
          ? "Messages in this group are end-to-end encrypted. Only its members can read them. A message that isn't encrypted says so."
          : describePlainChat({ ...group, username: nameOf(group) })}
      </Words>
      {state === 'plain' && keyless.length > 0 && (
        <section className={styles.keyless} aria-labelledby="keyless">
          <h3 id="keyless">Hasn't set it up yet</h3>
          <ul>
            {keyless.map((userId) => (
              <Keyless key={userId} messenger={messenger} userId={userId} />
            ))}
          </ul>
          <p>
            It's set up when somebody signs in to the app again with their password. New messages
            are encrypted once everybody has done that.
          </p>
        </section>
      )}
      <dl className={joinClassNames(panel.facts, styles.facts)}>
        {groupFacts.map(({ name, about }) => (
          <Fact key={name} name={name}>
            {about}
          </Fact>
        ))}
      </dl>
    </>
  )
}

function Keyless({ messenger, userId }: { messenger: Messenger; userId: string }) {
  const person = useLiveValue(messenger.users.get(userId))
  return (
    <li>
      <Avatar name={nameOf(person)} picture={pictureOf(person)} size={2.5} />
      <span dir="auto">{nameOf(person)}</span>
    </li>
  )
}

function NotSetUp() {
  return <Words>End-to-end encryption isn't set up on your account.</Words>
}

interface BodyProps {
  messenger: Messenger
  peerId: string
  name: string
}

function Body({ messenger, peerId, name }: BodyProps) {
  const { encryption } = messenger
  const state = useLiveValue(encryption.of(peerId))
  const trust = useLiveValue(encryption.trustIn(peerId))
  const peer = useLiveValue(messenger.users.get(peerId))
  const number = useSafetyNumber(messenger, peerId)
  useEffect(() => {
    // A key that changed meanwhile; without a network what the device knows is shown.
    messenger.users.load(peerId).catch(() => {})
  }, [messenger, peerId])
  if (state === 'off') return <NotSetUp />
  if (state === 'plain') {
    return <Words icon="warning">{describePlainChat({ ...peer, username: name })}</Words>
  }
  if (number === undefined) {
    return (
      <Words>
        This device doesn't have your newest key, so it can't show the security code.{' '}
        <Link to="/settings/security">Unlock it</Link> in Settings → Security.
      </Words>
    )
  }
  return (
    <>
      <Words>
        Messages and files in this chat are end-to-end encrypted. Only you and {name} can read them.
        A message that isn't encrypted says so.
      </Words>
      {trust.changedAt.length > 0 && !trust.isVerified && (
        <p className={styles.changed}>
          <Icon name="warning" size={20} />
          <span>
            {name}'s security code changed. This happens when someone begins a new key. Compare the
            code again to be sure that it's {name}.
          </span>
        </p>
      )}
      {/* Another number: what was scanned says nothing of it. */}
      <Comparison
        key={number}
        {...{ messenger, peerId, name, number }}
        isVerified={trust.isVerified}
      />
    </>
  )
}

/** The number of the keys that both have now. */
function useSafetyNumber(messenger: Messenger, peerId: string): string | undefined {
  const { encryption } = messenger
  const trust = useLiveValue(encryption.trustIn(peerId))
  const keys = useLiveValue(messenger.keys)
  // biome-ignore lint/correctness/useExhaustiveDependencies: both change with the keys of either side.
  return useMemo(() => encryption.readSafetyNumber(peerId), [encryption, peerId, trust, keys])
}

interface ComparisonProps extends BodyProps {
  number: string
  isVerified: boolean
}

function Comparison(props: ComparisonProps) {
  const { messenger, peerId, name, number, isVerified } = props
  const { encryption } = messenger
  const [isScanning, setIsScanning] = useState(false)
  const [found, setFound] = useState<'same' | 'other'>()
  const { attempt, failure } = useAttempt()
  useBackLayer(isScanning, () => setIsScanning(false))
  const take = (text: string) => {
    const scanned = readSafetyCode(text)
    // Some other code in sight, as on a poster behind: the person moves on.
    if (scanned === undefined) return
    setFound(scanned === number ? 'same' : 'other')
    setIsScanning(false)
  }
  if (isScanning) {
    return (
      <section className={styles.scanner} aria-label="Scan code">
        <CodeCamera
          hint={`Point the camera at the code on ${name}'s device: Contact info → Encryption.`}
          problemHint="Compare the digits instead."
          onText={take}
        />
        <Button look="quiet" onClick={() => setIsScanning(false)}>
          Cancel
        </Button>
      </section>
    )
  }
  return (
    <>
      <p className={styles.how}>
        To be sure that nobody is in between, compare these 60 digits with {name}, or scan the code
        on {name}'s device. Both devices show the same.
      </p>
      <QrCode text={writeSafetyCode(number)} label="QR code of the security code" />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div role="group" aria-label="Security code" className={styles.number} translate="no">
        {(number.match(/\d{5}/g) ?? []).map((group, at) => (
          // The same digits may come twice.
          // biome-ignore lint/suspicious/noArrayIndexKey: the groups never move
          <span key={at}>{group} </span>
        ))}
      </div>
      <p role="status" className={styles.found} data-found={found}>
        {found === 'same' && (
          <>
            <Icon name="check" size={20} />
            <span>The codes match. Nobody is in between.</span>
          </>
        )}
        {found === 'other' && (
          <>
            <Icon name="warning" size={20} />
            <span>
              The codes don't match. You may have scanned the code of another chat; open Encryption
              in the chat with you on {name}'s device. If it still doesn't match, don't send
              anything that only {name} may read.
            </span>
          </>
        )}
      </p>
      {isVerified && (
        <p className={styles.verified}>
          <Icon name="verified" size={20} />
          <span>You verified {name}. You'll see the mark on all your devices.</span>
        </p>
      )}
      <div className={styles.buttons}>
        <Button look="quiet" onClick={() => setIsScanning(true)}>
          <Icon name="qr" size={20} />
          Scan code
        </Button>
        {isVerified ? (
          <Button
            look="quiet"
            onClick={() => attempt(encryption.unverify(peerId), "Couldn't remove the mark")}
          >
            Remove mark
          </Button>
        ) : (
          <Button onClick={() => attempt(encryption.verify(peerId, number), "Couldn't keep it")}>
            Mark as verified
          </Button>
        )}
      </div>
      {failure}
    </>
  )
}

function Words({ icon = 'lock', children }: { icon?: 'lock' | 'warning'; children: ReactNode }) {
  return (
    <p className={styles.words}>
      <Icon name={icon} size={28} />
      <span>{children}</span>
    </p>
  )
}

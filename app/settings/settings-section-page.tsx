import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Usage } from '../../schema/api/usage.ts'
import type { Settings } from '../../schema/settings.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { formatBytes } from '../ui/format/format-amounts.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { PetrelMark } from '../ui/icons/petrel-mark.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Avatar } from '../ui/people/avatar.tsx'
import { productName, productVersion } from '../ui/product.ts'
import { AccountSection, type AccountSectionProps } from './account-section.tsx'
import { EncryptionSection, isSealing, type OwnEncryption } from './encryption-section.tsx'
import { FingerprintSection } from './fingerprint-section.tsx'
import { MediaStorage, type MediaStorageProps } from './media-storage.tsx'
import { NotificationsSection, type NotificationsSectionProps } from './notifications-section.tsx'
import { ChoiceList, type ChoiceProps } from './radio-choice.tsx'
import { ReportSection, type ReportSectionProps } from './report-section.tsx'
import { SecuritySection, type SecuritySectionProps } from './security-section.tsx'
import styles from './settings.module.css'
import { FactList, SettingsRow, ShortcutList } from './settings-row.tsx'
import { type SettingsSection, sectionWords } from './settings-sections.ts'

const audiences = [
  { value: 'everybody', name: 'Everybody' },
  { value: 'chats', name: 'People you have a chat with' },
] as const

const groupAudiences = [...audiences, { value: 'nobody', name: 'Nobody' }] as const

const views = [
  { setting: 'lastSeenFor', legend: 'Who can see when you were last seen' },
  { setting: 'onlineFor', legend: "Who can see when you're online" },
  { setting: 'aboutFor', legend: 'Who can see your About' },
  { setting: 'pictureFor', legend: 'Who can see your profile picture' },
] as const satisfies { setting: keyof Settings; legend: string }[]

const facts = [
  { name: 'Email', about: 'Only you can see it.' },
  {
    name: 'Messages',
    about: "Kept on your devices and on this server, in your copy and in the other person's.",
  },
]

interface SettingsSectionPageProps
  extends AccountSectionProps,
    NotificationsSectionProps,
    ReportSectionProps,
    Pick<SecuritySectionProps, 'signIns'>,
    StorageSectionProps {
  section: SettingsSection
  /** Undefined where this server takes no sealed messages. */
  encryption: OwnEncryption | undefined
  /** A code for another device to hand over its keys. */
  unlockCode: ReactNode
  /** How chats look and behave. */
  choices: readonly ChoiceProps[]
  /** Tells builds of the app apart; rejects with words. */
  readFingerprint(): Promise<string>
  messenger: Messenger
  onBack(): void
}

/** One section of the settings. */
export function SettingsSectionPage(props: SettingsSectionPageProps) {
  const { section, onBack } = props
  return (
    <Page title={sectionWords[section].name} backLabel="Back to settings" onBack={onBack}>
      <SectionBody {...props} />
    </Page>
  )
}

function SectionBody(props: SettingsSectionPageProps) {
  switch (props.section) {
    case 'account':
      return <AccountSection {...props} />
    case 'privacy':
      return <PrivacySection messenger={props.messenger} />
    case 'security':
      return (
        <>
          <LinkedDevicesLink />
          {props.encryption && (
            <EncryptionSection encryption={props.encryption} unlockCode={props.unlockCode} />
          )}
          <SecuritySection signIns={props.signIns} isSealed={isSealing(props.encryption)} />
        </>
      )
    case 'notifications':
      return <NotificationsSection {...props} />
    case 'storage':
      return <StorageSection {...props} />
    case 'chats':
      return <ChoiceList choices={props.choices} />
    case 'help':
      return <HelpSection {...props} />
    case 'about':
      return <AboutSection />
  }
}

function AboutSection() {
  return (
    <section className={styles.about}>
      <PetrelMark size={96} />
      <h2>{productName}</h2>
      <p>Version {productVersion}</p>
      <p>© 2026 The {productName} authors. MIT licence.</p>
      <p>
        Emoji pictures: Twemoji © Twitter and contributors, CC&#8209;BY 4.0; Noto Emoji © Google,
        Apache License 2.0.
      </p>
      <a href="/emoji/licences.txt">Licences</a>
    </section>
  )
}

function LinkedDevicesLink() {
  return (
    <div className={styles.entry}>
      <SettingsRow icon="device" name="Linked devices" to="/link">
        Use {productName} on another device without your password
      </SettingsRow>
    </div>
  )
}

/** Explains offline use, leads to help, and lists the keyboard shortcuts. */
function HelpSection(
  props: ReportSectionProps & Pick<SettingsSectionPageProps, 'readFingerprint'>,
) {
  const { supportEmail, writeReport, writeTrace, readFingerprint } = props
  return (
    <>
      <section aria-labelledby="offline">
        <h2 id="offline" className={styles.heading}>
          When you're offline
        </h2>
        <FactList
          facts={[
            {
              name: 'Reading and searching',
              about: 'You can read and search everything on this device.',
            },
            {
              name: 'Writing',
              about: "Messages show a clock and send automatically when you're back online.",
            },
            {
              name: "When a message isn't sent",
              about: 'It says why, and you can retry, edit, copy or discard it.',
            },
          ]}
        />
      </section>
      <ReportSection
        supportEmail={supportEmail}
        writeReport={writeReport}
        writeTrace={writeTrace}
      />
      <FingerprintSection readFingerprint={readFingerprint} />
      <section aria-labelledby="shortcuts" className={styles.later}>
        <h2 id="shortcuts" className={styles.heading}>
          Keyboard shortcuts
        </h2>
        <ShortcutList />
      </section>
    </>
  )
}

interface StorageState {
  usedBytes: number | undefined
  freeBytes: number | undefined
  isPersisted: boolean
}

interface StorageSectionProps extends Pick<MediaStorageProps, 'messenger'> {
  readUsage(): Promise<Usage>
  /** When media download automatically, and how much of them stays. */
  loading: readonly ChoiceProps[]
}

/**
 * Shows the server's and this device's storage use, and whether the browser may clear the latter
 * when the disk is full.
 */
function StorageSection({ readUsage, messenger, loading }: StorageSectionProps) {
  const [state, setState] = useState<StorageState>()
  const [usage, setUsage] = useState<Usage>()
  const read = useCallback(() => void readStorage().then(setState), [])
  useEffect(read, [read])
  useEffect(() => {
    // Offline the server's figure stays unknown; the device's own figures still show.
    readUsage().then(setUsage, () => undefined)
  }, [readUsage])
  if (!state) return <p role="status">Loading...</p>
  const { usedBytes, freeBytes, isPersisted } = state
  return (
    <div className={styles.stack}>
      <FactList
        facts={[
          ...(usage ? [{ name: 'Used on the server', about: describeUsage(usage) }] : []),
          { name: 'Used on this device', about: formatBytes(usedBytes) },
          { name: 'Available space', about: formatBytes(freeBytes) },
          {
            name: 'Protected',
            about: isPersisted
              ? "Yes. The browser won't delete your chats to free up space."
              : 'No. The browser may delete your chats when the disk is full. Sent messages come back from the server; unsent ones would be lost.',
          },
        ]}
      />
      {!isPersisted && (
        <Button onClick={() => void navigator.storage?.persist?.().then(read)}>
          Protect my chats
        </Button>
      )}
      <ChoiceList choices={loading} />
      <MediaStorage messenger={messenger} onCleared={read} />
    </div>
  )
}

function describeUsage({ messageBytes, fileBytes, quotaBytes }: Usage): string {
  const used = formatBytes(messageBytes + fileBytes)
  return quotaBytes === null ? used : `${used} of ${formatBytes(quotaBytes)}`
}

async function readStorage(): Promise<StorageState> {
  const { storage } = navigator
  const { usage, quota } = (await storage?.estimate?.()) ?? {}
  return {
    usedBytes: usage,
    freeBytes: quota === undefined ? undefined : quota - (usage ?? 0),
    isPersisted: (await storage?.persisted?.()) ?? false,
  }
}

interface PrivacySectionProps {
  messenger: Pick<
    Messenger,
    'settings' | 'blocked' | 'users' | 'requests' | 'connection' | 'groups'
  >
}

/** Who sees what of this person, and who may write to them. Works offline; follows the person. */
function PrivacySection({ messenger }: PrivacySectionProps) {
  const { settings, requests } = messenger
  const values = useLiveValue(settings.values)
  const isLive = useLiveValue(messenger.connection).state === 'live'
  const isWaiting = useLiveValue(requests.entries).some(
    ({ request, state }) => request.kind === 'settings' && state === 'waiting',
  )
  const set = (change: Partial<Settings>) => void settings.set(change)
  const groupsChoice: ChoiceProps = {
    legend: 'Who can add you to groups',
    options: groupAudiences,
    value: values.groupsFrom,
    note: 'Anyone else can send you a link to the group instead. You decide whether to join.',
    isNoted: (value) => value !== 'everybody',
    onChoose(value) {
      const chosen = groupAudiences.find((one) => one.value === value)
      if (chosen) set({ groupsFrom: chosen.value })
    },
  }

  return (
    <>
      <p className={styles.note}>
        People who wrote to you have a chat with you too. Someone you blocked, or who blocked you,
        doesn't see when you're here.
      </p>
      <p role="status" className={styles.note}>
        {isWaiting && !isLive && "Saved on this device. It applies when you're back online."}
      </p>
      <ChoiceList
        choices={[
          ...views.map(({ setting, legend }) => ({
            legend,
            options: audiences,
            value: values[setting],
            onChoose(value: string) {
              const chosen = audiences.find((one) => one.value === value)
              if (chosen) set({ [setting]: chosen.value })
            },
          })),
          {
            legend: 'Who can message you first',
            options: [
              { value: 'everybody', name: 'Everybody' },
              { value: 'known', name: 'Only people you have a chat with' },
            ],
            value: values.firstMessagesFrom,
            note: 'Messages from anyone else go back to them, with the reason.',
            isNoted: (value) => value === 'known',
            onChoose: (value) =>
              set({ firstMessagesFrom: value === 'known' ? 'known' : 'everybody' }),
          },
          ...(messenger.groups.isOn() ? [groupsChoice] : []),
          {
            name: 'Read receipts',
            note: "When they're off, people don't see what you've read, and you don't see what they've read. You both still see what was delivered.",
            isOn: values.readReceipts,
            onChange: (readReceipts) => set({ readReceipts }),
          },
          {
            name: 'Link previews',
            note: "Only in chats that aren't encrypted: the server looks at the page that you link, and the page doesn't learn who asks. In an encrypted chat the server never sees your links, so they have no preview.",
            isOn: values.linkPreviews,
            onChange: (linkPreviews) => set({ linkPreviews }),
          },
        ]}
      />
      <BlockedPeople messenger={messenger} />
      <section aria-labelledby="also-private" className={styles.later}>
        <h2 id="also-private" className={styles.heading}>
          Always so
        </h2>
        <FactList facts={facts} />
      </section>
    </>
  )
}

interface BlockedPeopleProps {
  messenger: Pick<Messenger, 'blocked' | 'users' | 'requests'>
}

/** The people this person blocks, with a way to end it; also known offline. */
function BlockedPeople({ messenger }: BlockedPeopleProps) {
  const blocked = useLiveValue(messenger.blocked)
  const heading = useRef<HTMLHeadingElement>(null)

  function unblock(userId: string) {
    void messenger.requests.add({ kind: 'block', userId, blocked: false })
    // The button goes away with its row.
    heading.current?.focus()
  }

  return (
    <section aria-labelledby="blocked-people" className={styles.later}>
      <h2 id="blocked-people" ref={heading} tabIndex={-1} className={styles.heading}>
        Blocked people
      </h2>
      {blocked.length === 0 ? (
        <p className={styles.note}>You haven't blocked anyone.</p>
      ) : (
        <ul className={styles.list}>
          {blocked.map((userId) => (
            <BlockedRow
              key={userId}
              userId={userId}
              users={messenger.users}
              onUnblock={() => unblock(userId)}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function BlockedRow(props: { userId: string; users: Messenger['users']; onUnblock(): void }) {
  const { userId, users, onUnblock } = props
  const person = useLiveValue(useMemo(() => users.get(userId), [users, userId]))
  const name = person?.username ?? 'Somebody'
  return (
    <li className={styles.row}>
      <Avatar name={name} picture={person?.profilePicture ?? undefined} size={2.5} />
      <span className={styles.words}>{name}</span>
      <Button look="quiet" aria-label={`Unblock ${name}`} onClick={onUnblock}>
        Unblock
      </Button>
    </li>
  )
}

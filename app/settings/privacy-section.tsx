import type { Settings } from '../../schema/settings.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { BlockedPeople } from './blocked-people.tsx'
import { FactList } from './fact-list.tsx'
import { RadioChoice } from './radio-choice.tsx'
import styles from './settings.module.css'

export interface PrivacySectionProps {
  messenger: Pick<Messenger, 'settings' | 'blocked' | 'users' | 'requests' | 'connection'>
}

const audiences = [
  { value: 'everybody', name: 'Everybody' },
  { value: 'chats', name: 'People you have a chat with' },
] as const

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

/** Who sees what of this person, and who may write to them. Works offline; follows the person. */
export function PrivacySection({ messenger }: PrivacySectionProps) {
  const { settings, requests } = messenger
  const values = useLiveValue(settings.values)
  const isLive = useLiveValue(messenger.connection).state === 'live'
  const isWaiting = useLiveValue(requests.entries).some(
    ({ request, state }) => request.kind === 'settings' && state === 'waiting',
  )
  const set = (change: Partial<Settings>) => void settings.set(change)

  return (
    <>
      <p className={styles.note}>
        People who wrote to you have a chat with you too. Someone you blocked, or who blocked you,
        doesn't see when you're here.
      </p>
      <p role="status" className={styles.note}>
        {isWaiting && !isLive && "Saved on this device. It applies when you're back online."}
      </p>
      {views.map(({ setting, legend }) => (
        <RadioChoice
          key={setting}
          legend={legend}
          options={audiences}
          value={values[setting]}
          onChoose={(value) => {
            const chosen = audiences.find((one) => one.value === value)
            if (chosen) set({ [setting]: chosen.value })
          }}
        />
      ))}
      <RadioChoice
        legend="Read receipts"
        options={[
          { value: 'on', name: 'On' },
          { value: 'off', name: 'Off' },
        ]}
        value={values.readReceipts ? 'on' : 'off'}
        note="When they're off, people don't see what you've read, and you don't see what they've read. You both still see what was delivered."
        isNoted={(value) => value === 'off'}
        onChoose={(value) => set({ readReceipts: value === 'on' })}
      />
      <RadioChoice
        legend="Who can message you first"
        options={[
          { value: 'everybody', name: 'Everybody' },
          { value: 'known', name: 'Only people you have a chat with' },
        ]}
        value={values.firstMessagesFrom}
        note="Messages from anyone else go back to them, with the reason."
        isNoted={(value) => value === 'known'}
        onChoose={(value) => set({ firstMessagesFrom: value === 'known' ? 'known' : 'everybody' })}
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

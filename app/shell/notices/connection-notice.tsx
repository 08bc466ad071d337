import { UpdateDemand } from '../../offline/update-notices.tsx'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import styles from './connection-notice.module.css'
import { OutboxLink } from './outbox-link.tsx'
import { useConnectionWords } from './use-connection-words.ts'

/** One unobtrusive line while the app has no connection to the server. Blocks nothing. */
export function ConnectionNotice({ isInConversation = false }: { isInConversation?: boolean }) {
  const { update } = useServices()
  const isOutdated = useIsOutdated()
  // The link to the outbox counts what waits.
  const words = useConnectionWords({ countsWaiting: isOutdated })
  return (
    <div role="status">
      {words &&
        (isOutdated ? (
          <UpdateDemand update={update} words={words.text} isBar={isInConversation} />
        ) : (
          <p
            className={joinClassNames(
              styles.notice,
              isInConversation && styles.inConversation,
              words.isGood && styles.good,
            )}
          >
            <Icon name={words.icon} size={18} />
            <span>
              {words.text}
              {!words.isGood && <OutboxLink before=" · " />}
            </span>
          </p>
        ))}
    </div>
  )
}

/** Does the server no longer serve this version of the app? */
export function useIsOutdated(): boolean {
  return useLivePart(useMessenger().connection, ({ state }) => state === 'outdated')
}

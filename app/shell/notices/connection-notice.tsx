import { Icon } from '../../ui/icons/icon.tsx'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import styles from './connection-notice.module.css'
import { useConnectionWords } from './use-connection-words.ts'

/** One unobtrusive line while the app has no connection to the server. Blocks nothing. */
export function ConnectionNotice({ isInConversation = false }: { isInConversation?: boolean }) {
  const words = useConnectionWords()
  return (
    <div role="status">
      {words && (
        <p className={joinClassNames(styles.notice, isInConversation && styles.inConversation)}>
          <Icon name={words.icon} size={18} />
          {words.text}
        </p>
      )}
    </div>
  )
}

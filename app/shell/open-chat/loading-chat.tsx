import { Button } from '../../ui/buttons/button.tsx'
import { BackLink } from '../navigation/back-link.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import styles from './loading-chat.module.css'
import type { PeerState } from './use-peer.ts'

/** A conversation with a person who is not on the device yet. */
export function LoadingChat({ peer }: { peer: Exclude<PeerState, { state: 'known' }> }) {
  const goUp = useWayUp()
  return (
    <section className={styles.pane} aria-label="Chat">
      <div className={styles.back}>
        <BackLink to="/chat" label="Back to chats" />
      </div>
      {peer.state === 'loading' ? (
        <p role="status">Loading chat...</p>
      ) : (
        <>
          <div role="alert" className={styles.words}>
            <p className={styles.title}>Failed to load chat</p>
            {peer.isNobody && (
              <p>Nobody is at this address. Check the link, or ask for a new one.</p>
            )}
          </div>
          {peer.isNobody && <Button onClick={() => goUp({ to: '/chat' })}>Go to your chats</Button>}
          <Button look={peer.isNobody ? 'quiet' : 'primary'} onClick={peer.retry}>
            Try Again
          </Button>
        </>
      )}
    </section>
  )
}

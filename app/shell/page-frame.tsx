import type { ReactNode } from 'react'
import { useLivePart } from '../ui/use-live-value.ts'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { countUnreadChats } from './count-unread-chats.ts'
import { DocumentTitle } from './document-title.tsx'
import { useMessenger } from './messenger-context.tsx'
import { phoneScreen } from './narrow-screen.ts'
import styles from './page-frame.module.css'
import { Rail, type RailSection } from './rail.tsx'
import { useShellActions } from './use-shell-actions.tsx'

interface PageFrameProps {
  section: RailSection
  title: string
  children: ReactNode
}

/** A signed-in page that is no chat: beside the rail, or alone on a phone. */
export function PageFrame({ section, title, children }: PageFrameProps) {
  const isPhone = useMediaQuery(phoneScreen)
  const shell = useShellActions()
  const unreadChats = useLivePart(useMessenger().conversations, countUnreadChats)
  return (
    <div className={styles.frame}>
      <DocumentTitle page={title} />
      {!isPhone && <Rail section={section} actions={shell.actions} unreadChats={unreadChats} />}
      <main className={styles.main}>{children}</main>
      {shell.dialog}
    </div>
  )
}

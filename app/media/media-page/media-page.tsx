import { Content, List, Root, Trigger } from 'radix-ui/tabs'
import { useState } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { leaveBackLayers } from '../../ui/layers/leave-back-layers.ts'
import page from '../../ui/styles/chat-page.module.css'
import { splitLinks } from '../../ui/text/split-links.ts'
import { stripStyles } from '../../ui/text/strip-styles.ts'
import { DocumentFile } from '../files/document-file.tsx'
import { SoundFile } from '../files/sound-file.tsx'
import type { MessageKind } from '../loading/message-kinds.ts'
import { Gallery } from '../viewer/gallery.tsx'
import { FoundNote } from './found-note.tsx'
import { FoundPicture } from './found-picture.tsx'
import type { FoundProps } from './found-props.ts'
import styles from './media-page.module.css'
import { MonthList } from './month-list.tsx'

interface MediaPageProps {
  messenger: Messenger
  peerId: string
  kind: MessageKind
  onKind(kind: MessageKind): void
  onBack(): void
  onGoToMessage(messageId: string): void
}

const tabs: readonly { kind: MessageKind; label: string; none: string }[] = [
  { kind: 'media', label: 'Media', none: 'No photos or videos yet' },
  { kind: 'files', label: 'Files', none: 'No files yet' },
  { kind: 'links', label: 'Links', none: 'No links yet' },
]

/** A chat's pictures and videos, files, and links, each grouped by month. */
export function MediaPage(props: MediaPageProps) {
  const { messenger, peerId, kind, onKind, onBack, onGoToMessage } = props
  const peer = useLiveValue(messenger.users.get(peerId))
  const name = peer?.username ?? 'Unknown'
  const [opened, setOpened] = useState<MessageDocument>()
  const goToMessage = (messageId: string) => leaveBackLayers(() => onGoToMessage(messageId))

  function draw(message: MessageDocument) {
    const author = message.senderId === messenger.userId ? 'You' : name
    const shared = { message, author, onGoToMessage: () => goToMessage(message._id) }
    switch (kind) {
      case 'media':
        return (
          <FoundPicture
            key={message._id}
            {...shared}
            messenger={messenger}
            onOpen={() => setOpened(message)}
          />
        )
      case 'files':
        return <FoundFile key={message._id} {...shared} messenger={messenger} />
      case 'links':
        return <FoundLinks key={message._id} {...shared} />
    }
  }

  return (
    <section className={page.page} aria-label={`Media, files and links with ${name}`}>
      <header className={page.header}>
        <IconButton icon="back" label="Back to chat" onClick={onBack} />
        <div className={styles.titles}>
          <h2>Media, files and links</h2>
          <p>{name}</p>
        </div>
      </header>
      <Root
        className={styles.tabs}
        value={kind}
        onValueChange={(value) => {
          const chosen = tabs.find((tab) => tab.kind === value)
          if (chosen) onKind(chosen.kind)
        }}
      >
        <List className={styles.tabList} aria-label="Media, files and links">
          {tabs.map((tab) => (
            <Trigger key={tab.kind} className={styles.tab} value={tab.kind}>
              {tab.label}
            </Trigger>
          ))}
        </List>
        {tabs.map((tab) =>
          tab.kind === kind ? (
            <MonthList
              key={tab.kind}
              messenger={messenger}
              peerId={peerId}
              kind={kind}
              none={tab.none}
              draw={draw}
            />
          ) : (
            // The tab's `aria-controls` needs this element.
            <Content key={tab.kind} value={tab.kind} />
          ),
        )}
      </Root>
      {opened && (
        <Gallery
          messenger={messenger}
          peerId={peerId}
          message={opened}
          onGoToMessage={goToMessage}
          onClose={() => setOpened(undefined)}
        />
      )}
    </section>
  )
}

/** A document to save, or audio to play. */
function FoundFile({ messenger, message, author, onGoToMessage }: FoundProps) {
  const File = message.type === 'audio' ? SoundFile : DocumentFile
  return (
    <div className={styles.found}>
      <File messenger={messenger} message={message} />
      <FoundNote message={message} author={author} onGoToMessage={onGoToMessage} />
    </div>
  )
}

/** A message's links, each once, with the surrounding text. */
function FoundLinks({ message, author, onGoToMessage }: Omit<FoundProps, 'messenger'>) {
  const parts = splitLinks(message.content)
  const links = [...new Set(parts.flatMap(({ href }) => href ?? []))]
  const words = parts.some(({ href, text }) => href === undefined && text.trim() !== '')
  return (
    <div className={styles.found}>
      {links.map((href) => (
        <a key={href} className={styles.link} href={href} target="_blank" rel="noreferrer noopener">
          <Icon name="link" size={20} />
          <span dir="auto">{href}</span>
        </a>
      ))}
      {words && (
        <p className={styles.words} dir="auto">
          {stripStyles(message.content)}
        </p>
      )}
      <FoundNote message={message} author={author} onGoToMessage={onGoToMessage} />
    </div>
  )
}

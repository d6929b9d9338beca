import type { ComponentChildren } from "preact";

function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" class="icon">
      {children}
    </svg>
  );
}

/** Three strokes of a wing. */
export function Wing() {
  return (
    <svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true" class="wing">
      <rect width="32" height="32" rx="9" />
      <path d="M7 24C9 15 16 9 26 7M8.5 24C12 18 17 14.5 23.5 13.5M10.5 24C13.5 20.5 16.5 19 20.5 19" />
    </svg>
  );
}

export const BackIcon = () => (
  <Icon>
    <path d="M15 5l-7 7 7 7" />
  </Icon>
);

export const AttachIcon = () => (
  <Icon>
    <path d="M12 5v14M5 12h14" />
  </Icon>
);

export const SendIcon = () => (
  <Icon>
    <path d="M12 19V5M5.5 11.5L12 5l6.5 6.5" />
  </Icon>
);

export const DownIcon = () => (
  <Icon>
    <path d="M12 5v14M5.5 12.5L12 19l6.5-6.5" />
  </Icon>
);

export const ReplyIcon = () => (
  <Icon>
    <path d="M10 6l-6 6 6 6M4.5 12H14q6 0 6 6" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="M6 6l12 12M18 6L6 18" />
  </Icon>
);

export const HomeIcon = () => (
  <Icon>
    <path d="M4 11l8-6.5 8 6.5v8.5H4zM10 19.5v-5h4v5" />
  </Icon>
);

export const ThreadIcon = () => (
  <Icon>
    <path d="M5 6h14v10H11l-4 3.5V16H5z" />
  </Icon>
);

export const SessionIcon = () => (
  <Icon>
    <path d="M5 6h14v10H11l-4 3.5V16H5zM9 11h6M12 8v6" />
  </Icon>
);

export const SearchIcon = () => (
  <Icon>
    <path d="M10.5 4.5a6 6 0 1 0 0 12 6 6 0 0 0 0-12M15 15l4.5 4.5" />
  </Icon>
);

export const StopIcon = () => (
  <Icon>
    <path d="M7 7h10v10H7z" />
  </Icon>
);

export const OverviewIcon = () => (
  <Icon>
    <path d="M4 5h16M4 12h16M4 19h10" />
  </Icon>
);

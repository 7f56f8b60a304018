//! A local web server in place of GitHub and GitLab: it stores comments and notes, and serves files.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use serde_json::{Value, json};

/// A request that the server received.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Method, path and query: `GET /path?query`.
    pub(super) line: String,
    /// The headers; their names are in lower case.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: String,
}

/// The state of the server.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// The comments or notes, in the order in which they were written.
    pub(super) comments: Vec<Value>,
    /// If set, every request gets this status instead of an answer.
    pub(super) refuses: Option<u16>,
    /// Files for download, by their paths.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// All requests so far.
    pub(super) requests: Vec<Request>,
}

/// The server. Dropping it stops it.
#[derive(Debug)]
pub(super) struct Server {
    content: Arc<Mutex<Content>>,
    /// The address, such as `http://127.0.0.1:1234`.
    pub(super) url: String,
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let content = Arc::new(Mutex::new(Content::default()));
        let stops = Arc::new(AtomicBool::new(false));
        let (shared, stop) = (Arc::clone(&content), Arc::clone(&stops));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                // A client that disconnects is not a failure of the server.
                drop(serve(&stream.unwrap(), &shared));
            }
        });
        Self { content, url, stops, thread: Some(thread) }
    }

    /// Reads or changes the state of the server.
    pub(super) fn with<T>(&self, look: impl FnOnce(&mut Content) -> T) -> T {
        look(&mut self.content.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The text of each comment.
    pub(super) fn comments(&self) -> Vec<String> {
        self.with(|content| {
            content.comments.iter().map(|comment| comment["body"].as_str().unwrap().to_owned()).collect()
        })
    }

    /// The methods of all requests since the last call.
    pub(super) fn methods(&self) -> Vec<String> {
        let requests = self.with(|content| std::mem::take(&mut content.requests));
        requests.iter().map(|request| request.line.split(' ').next().unwrap().to_owned()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::Relaxed);
        // The connection wakes the server, so that it notices the stop.
        drop(TcpStream::connect(self.url.trim_start_matches("http://")));
        drop(self.thread.take().map(JoinHandle::join));
    }
}

fn serve(stream: &TcpStream, content: &Mutex<Content>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    if headers.contains_key("expect") {
        (&*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request = Request { line, headers, body: String::from_utf8(body).unwrap() };
    let (status, answer) = answer(&request, &mut content.lock().unwrap_or_else(PoisonError::into_inner));
    let head = format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
    (&*stream).write_all(head.as_bytes())?;
    (&*stream).write_all(&answer)
}

/// Answers as GitHub and GitLab do: lists a page, creates, changes. The author is the owner of the token:
/// `github-actions[bot]`, or the user 1.
fn answer(request: &Request, content: &mut Content) -> (u16, Vec<u8>) {
    content.requests.push(request.clone());
    if let Some(status) = content.refuses {
        return (status, b"{}".to_vec());
    }
    let (method, path) = request.line.split_once(' ').unwrap();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let is_list = path.ends_with("/comments") || path.ends_with("/notes");
    match method {
        "GET" if is_list => (200, page(&content.comments, query)),
        "GET" if path.ends_with("/user") => (200, b"{\"id\": 1}".to_vec()),
        "GET" => content.files.get(path).map_or_else(|| (404, Vec::new()), |file| (200, file.clone())),
        "POST" if is_list => {
            let body: Value = serde_json::from_str(&request.body).unwrap();
            let user = json!({"login": "github-actions[bot]", "type": "Bot"});
            let id = content.comments.len() + 1000;
            content.comments.push(json!({"id": id, "user": user, "author": {"id": 1}, "body": body["body"]}));
            (201, b"{}".to_vec())
        }
        "PATCH" | "PUT" => {
            let id: usize = path.rsplit('/').next().unwrap().parse().unwrap();
            let body: Value = serde_json::from_str(&request.body).unwrap();
            content.comments[id - 1000]["body"] = body["body"].clone();
            (200, b"{}".to_vec())
        }
        _ => (404, b"{}".to_vec()),
    }
}

fn page(comments: &[Value], query: &str) -> Vec<u8> {
    let number = |name: &str, otherwise: usize| {
        let value = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
        value.map_or(otherwise, |value| value.parse().unwrap())
    };
    let (size, page) = (number("per_page", 30), number("page", 1));
    let shown: Vec<&Value> = comments.iter().skip((page - 1) * size).take(size).collect();
    serde_json::to_vec(&shown).unwrap()
}
